/** The ledger's SQL files, to be applied once each, in this order, before anything that uses schema `ledger`. */
export const ledgerMigrations: readonly URL[] = [new URL('../sql/001-ledger.sql', import.meta.url)]
