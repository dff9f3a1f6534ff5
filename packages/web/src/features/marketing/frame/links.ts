import { frame } from '#messages/site/frame.ts'

/** Where the header and the footer of the public pages lead. */
export const mainLinks = [
  { path: '/how-it-works', name: frame.howItWorks },
  { path: '/security', name: frame.security },
] as const

export const legalLinks = [
  { path: '/terms', name: frame.terms },
  { path: '/privacy', name: frame.privacy },
  { path: '/compliance', name: frame.compliance },
] as const
