#!/tmp/core/bin/python
from wireloom.command.entry import main
main()
