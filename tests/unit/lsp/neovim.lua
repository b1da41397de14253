-- Opens log.ksy in Neovim with the server of the environment, and prints what a user would see.
local function say(...) io.stdout:write(table.concat({ ... }, " "), "\n") end
local function wait(what, condition)
  if not vim.wait(60000, condition, 20) then say("no", what) vim.cmd("cquit!") end
end
vim.cmd("set noswapfile")
vim.cmd("edit log.ksy")
vim.bo.filetype = "ksy"
local command = { vim.env.PYTHON, "-c", "from wireloom.command.entry import main; main()", "lsp" }
local id = vim.lsp.start_client({ name = "wireloom", cmd = command, root_dir = vim.fn.getcwd() })
wait("server", function() return vim.lsp.get_client_by_id(id) ~= nil and vim.lsp.get_client_by_id(id).initialized end)
vim.lsp.buf_attach_client(0, id)
wait("diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
for _, each in ipairs(vim.diagnostic.get(0)) do say("diagnostic", each.lnum + 1, (each.message:gsub("\n.*", ""))) end

local function ask(method, line, character)
  local document = vim.lsp.util.make_text_document_params()
  local params = { textDocument = document, position = { line = line - 1, character = character } }
  for _, each in pairs(vim.lsp.buf_request_sync(0, method, params, 60000)) do return each.result end
end
say("hover", (ask("textDocument/hover", 3, 36).contents.value:gsub("\n.*", "")))
say("completion", ask("textDocument/completion", 3, 36).items[1].label)

vim.api.nvim_buf_set_lines(0, 3, 4, false, { "  - {id: b, type: u4}" })
wait("repair", function() return #vim.diagnostic.get(0) == 0 end)
vim.cmd("write")
vim.api.nvim_win_set_cursor(0, { 3, 22 })
vim.lsp.buf.definition()
wait("definition", function() return vim.fn.expand("%:t") == "part.ksy" end)
say("definition", unpack(vim.api.nvim_win_get_cursor(0)))
vim.lsp.stop_client(id)
wait("end", function() return vim.lsp.client_is_stopped(id) end)
vim.cmd("quitall!")
