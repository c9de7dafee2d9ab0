-- Selects USDT on BSC for one invoice after the other, each as a new visitor. Arguments: the file of invoices
-- (trans_id per line), an unused prefix, and the milliseconds that each connection waits between requests.
local invoices = {}
local sent = 0
local waitMs

function init(args)
  for line in io.lines(args[1]) do
    invoices[#invoices + 1] = line:match("%S+")
  end
  waitMs = tonumber(args[3])
end

function delay()
  return waitMs == 0 and 0 or math.random(0, 2 * waitMs)
end

function request()
  local trans = invoices[sent % #invoices + 1]
  sent = sent + 1
  local visitor = string.format("10.%d.%d.%d", math.floor(sent / 65536) % 256, math.floor(sent / 256) % 256, sent % 256)
  local headers = { ["content-type"] = "application/json", ["accept"] = "application/json", ["x-forwarded-for"] = visitor }
  return wrk.format("POST", "/bill/" .. trans .. "/select", headers, '{"network":"BSC","token":"USDT"}')
end

function done(summary)
  io.write(string.format("REFUSED %d\n", summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout))
end
