/** SQL file with the ledger's tables and functions; creates the schema `ledger`. */
export const ledgerSchema = new URL('../schema.sql', import.meta.url)
