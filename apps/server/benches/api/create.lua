-- Creates invoices for random stores. Arguments: the file of stores (merchant_id and key per line), a prefix for
-- request ids, and the milliseconds that each connection waits between requests (0: as fast as it can).
local stores = {}
local sent = 0
local prefix, waitMs

function init(args)
  for line in io.lines(args[1]) do
    local merchant, key = line:match("(%S+) (%S+)")
    stores[#stores + 1] = { merchant, key }
  end
  prefix = args[2]
  waitMs = tonumber(args[3])
  math.randomseed(os.time())
end

function delay()
  return waitMs == 0 and 0 or math.random(0, 2 * waitMs)
end

function request()
  sent = sent + 1
  local store = stores[math.random(#stores)]
  local body = '{"merchant_id":"' .. store[1] .. '","amount":"50.00","name":"a title",'
    .. '"callback_url":"https://shop.example/callback","request_id":"' .. prefix .. sent .. '"}'
  return wrk.format("POST", "/payment/crypto", { ["content-type"] = "application/json", ["x-api-key"] = store[2] }, body)
end

function done(summary)
  io.write(string.format("REFUSED %d\n", summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout))
end
