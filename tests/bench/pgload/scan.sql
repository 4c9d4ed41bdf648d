-- SPDX-License-Identifier: GPL-2.0-only
SELECT count(*), sum(amount), max(length(filler)) FROM items;
