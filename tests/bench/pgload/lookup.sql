-- SPDX-License-Identifier: GPL-2.0-only
\set a random(1, :rows)
\set b random(1, :rows)
\set c random(1, :rows)
\set d random(1, :rows)
\set e random(1, :rows)
\set f random(1, :rows)
\set g random(1, :rows)
\set h random(1, :rows)
SELECT sum(amount) FROM items WHERE id IN (:a, :b, :c, :d, :e, :f, :g, :h);
SELECT sum(amount) FROM items WHERE code IN (:a, :b, :c, :d, :e, :f, :g, :h);
