"""Java that starts quickly, in processes of their own."""

QUICK_JAVA = {"JDK_JAVA_OPTIONS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"}
"""An environment in which no Java optimises what runs for a moment."""
