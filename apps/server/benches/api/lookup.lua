-- Looks up random invoices of the stores that own them. Arguments: the file of invoices (trans_id and key per line),
-- an unused prefix, and the milliseconds that each connection waits between requests.
local invoices = {}
local waitMs

function init(args)
  for line in io.lines(args[1]) do
    local trans, key = line:match("(%S+) (%S+)")
    invoices[#invoices + 1] = { trans, key }
  end
  waitMs = tonumber(args[3])
  math.randomseed(os.time())
end

function delay()
  return waitMs == 0 and 0 or math.random(0, 2 * waitMs)
end

function request()
  local invoice = invoices[math.random(#invoices)]
  return wrk.format("GET", "/invoice/" .. invoice[1], { ["x-api-key"] = invoice[2] })
end

function done(summary)
  io.write(string.format("REFUSED %d\n", summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout))
end
