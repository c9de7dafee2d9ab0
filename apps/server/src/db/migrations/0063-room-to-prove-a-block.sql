-- expand
-- The payments of a block are proven in one transaction, so no old row makes room for a new one, and a proven row is a
-- third longer. Pages filled to 70 % had room for one new row in three; each of the others took six new index entries.
-- With this room every new row stays on its page: a row needs 28 % less log and, with its indexes, 4 % less space.
alter table transfers set (fillfactor = 42);
