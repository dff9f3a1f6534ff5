/** Current versions of the legal pages, each with the ISO date of its last change. */
export const legalDocuments = {
  terms: { version: 3, changed: '2026-11-26' },
  privacy: { version: 5, changed: '2026-11-28' },
} as const

/** Legal page that requires consent. */
export type LegalDocument = keyof typeof legalDocuments
