-- Floods the server with requests from a file, one per line: method, path and optionally a JSON body without blanks. In path
-- and body `%C` stands for a code that belongs to no invoice and `%H` for the hash of no transaction. Every request names
-- another address, as a proxy would. Arguments: the file, and the seed of random codes and hashes.
local requests = {}
local ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
local TOO_MANY_REQUESTS = 429
local threads = {}
limited = 0

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  for line in io.lines(args[1]) do
    local method, path, body = line:match("(%S+) (%S+) ?(%S*)")
    requests[#requests + 1] = { method, path, body }
  end
  math.randomseed(tonumber(args[2]))
end

local function code()
  local letters = {}
  for place = 1, 16 do
    local at = math.random(#ALPHABET)
    letters[place] = ALPHABET:sub(at, at)
  end
  return "TID-" .. table.concat(letters)
end

local function hash()
  local digits = {}
  for place = 1, 8 do digits[place] = string.format("%08x", math.random(0, 0x7fffffff)) end
  return "0x" .. table.concat(digits)
end

local function fill(text)
  return (text:gsub("%%C", code):gsub("%%H", hash))
end

function request()
  local method, path, body = unpack(requests[math.random(#requests)])
  local headers = {
    ["x-forwarded-for"] = "10." .. math.random(0, 255) .. "." .. math.random(0, 255) .. "." .. math.random(1, 254),
    ["x-forwarded-proto"] = "https",
  }
  if body ~= "" then
    headers["content-type"] = "application/json"
    headers["accept"] = "application/json"
  end
  return wrk.format(method, fill(path), headers, body ~= "" and fill(body) or nil)
end

function response(status)
  if status == TOO_MANY_REQUESTS then limited = limited + 1 end
end

function done(summary)
  local sum = 0
  for _, thread in ipairs(threads) do sum = sum + thread:get("limited") end
  io.write(string.format("ANSWERED %d LIMITED %d\n", summary.requests, sum))
end
