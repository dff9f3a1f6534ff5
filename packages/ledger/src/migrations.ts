/** The ledger's SQL files, to be applied once, in order, before using schema `ledger`. */
export const ledgerMigrations: readonly URL[] = [
  '001-ledger',
  '002-losses',
  '003-losses-regained',
  '004-tokens-refusals-stripes',
  '005-post',
  '006-no-index-by-reference',
  '007-currency',
  '008-hedges',
  '009-closed-accounts',
  '010-given-back',
  '011-losses-settled',
  '012-reopened-accounts',
  '013-lookups-by-key',
].map((name) => new URL(`../sql/${name}.sql`, import.meta.url))
