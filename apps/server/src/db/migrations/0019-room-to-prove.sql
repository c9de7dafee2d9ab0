-- A transfer is updated when it is proven, in columns that no index has. With room on the page the new row stays there and
-- no index is touched.

alter table transfers set (fillfactor = 70);
