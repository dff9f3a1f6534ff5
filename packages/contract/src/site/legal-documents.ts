/** The versions of the legal pages that are in force, and when each last changed, as an ISO date. */
export const legalDocuments = {
  terms: { version: 3, changed: '2026-11-26' },
  privacy: { version: 5, changed: '2026-11-28' },
} as const

/** A page that people agree to. */
export type LegalDocument = keyof typeof legalDocuments
