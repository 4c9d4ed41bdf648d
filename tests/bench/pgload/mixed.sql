-- SPDX-License-Identifier: GPL-2.0-only
\set a random(1, :rows)
\set b random(1, :rows)
\set c random(1, :rows)
\set d random(1, :rows)
\set e random(1, :rows)
\set f random(1, :rows)
BEGIN;
SELECT sum(amount) FROM items WHERE id IN (:a, :b, :c, :d, :e);
SELECT sum(amount) FROM items WHERE code IN (:b, :c, :d, :e, :f);
UPDATE items SET amount = amount + 1 WHERE id = :a;
COMMIT;
