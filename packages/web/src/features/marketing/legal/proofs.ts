// Pages that prove clauses of the legal texts. claims.test.ts checks that each address exists.

import type { compliance } from '#messages/site/compliance.ts'
import type { privacy } from '#messages/site/privacy.ts'
import type { terms } from '#messages/site/terms.ts'
import { paths } from '../../../app/paths.ts'
import type { Proofs } from './clauses.ts'

export const termsProofs: Proofs<typeof terms.clauses> = {
  opening: paths.signup,
  prices: paths.recompute,
  confirming: `${paths.demo}#secure-payments`,
  limits: paths.limitSettings,
  withdrawals: paths.withdraw,
  freezing: `${paths.settings}#freeze`,
  holds: paths.checks,
  ending: paths.privacySettings,
}

export const privacyProofs: Proofs<typeof privacy.clauses> = {
  told: paths.privacySettings,
  noticed: paths.deviceSettings,
  screening: `${paths.compliance}#screening`,
  operators: `${paths.privacySettings}#who-looked`,
  retention: paths.privacySettings,
  rights: paths.privacySettings,
}

export const complianceProofs: Proofs<typeof compliance.clauses> = {
  identity: paths.signup,
  limits: paths.limitSettings,
  screening: paths.checks,
  people: `${paths.privacySettings}#who-looked`,
  books: `${paths.security}#testing`,
}
