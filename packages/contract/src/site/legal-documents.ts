/** Versions of the legal pages in force, and the ISO date of each one's last change. */
export const legalDocuments = {
  terms: { version: 3, changed: '2026-11-26' },
  privacy: { version: 5, changed: '2026-11-28' },
} as const

/** Page that requires consent. */
export type LegalDocument = keyof typeof legalDocuments
