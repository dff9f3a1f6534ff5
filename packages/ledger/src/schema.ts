/** The ledger's tables and functions, as one SQL file; creates the schema `ledger`. */
export const ledgerSchema = new URL('../schema.sql', import.meta.url)
