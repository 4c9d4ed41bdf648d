-- SPDX-License-Identifier: GPL-2.0-only
-- Units of 40 MB, table and both indexes together; :units and :rows_per_unit
-- come from outside.  Codes are the ids in another order, so that neighbours
-- in one index are not neighbours in the table.
CREATE TABLE items (
	id integer NOT NULL,
	code integer NOT NULL,
	amount integer NOT NULL,
	filler text NOT NULL
) WITH (fillfactor = 95);
INSERT INTO items
	SELECT n, n::bigint * 7919 % (:units * :rows_per_unit) + 1, n % 1000,
		repeat(md5(n::text), 6)
	FROM generate_series(1, :units * :rows_per_unit) AS n;
ALTER TABLE items ADD PRIMARY KEY (id);
CREATE INDEX items_code ON items (code);
-- All hint bits are set, so reading does not write.
VACUUM (FREEZE, ANALYZE) items;
CHECKPOINT;
