import { frame } from '#messages/site/frame.ts'
import { paths } from '../../../app/paths.ts'

export const mainLinks = [
  { path: paths.howItWorks, name: frame.howItWorks },
  { path: paths.security, name: frame.security },
  { path: paths.prices, name: frame.prices },
] as const

export const legalLinks = [
  { path: paths.terms, name: frame.terms },
  { path: paths.privacy, name: frame.privacy },
  { path: paths.compliance, name: frame.compliance },
] as const
