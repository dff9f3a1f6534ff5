import { securityPage } from '#messages/site/security-page.ts'
import { paths } from '../../../app/paths.ts'

/** Page where the claim can be seen in the product, or the test in this repository that proves it. */
type Proof = { readonly href: string; readonly where: string } | { readonly test: string }

export interface Claim {
  readonly title: string
  readonly text: string
  readonly proof: Proof
  /** Shown only if a license is configured, with its text. */
  readonly license?: true
}

interface ClaimSection {
  readonly id: string
  readonly short: string
  readonly title: string
  readonly claims: readonly Claim[]
}

const { account, identity, compliance, data } = securityPage.sections

const buildObservedClaim = (claim: { title: string; text: string; where: string }, href: string): Claim => ({
  title: claim.title,
  text: claim.text,
  proof: { href, where: claim.where },
})

/** Claim proved by a test; the path is relative to the repository. */
const buildTestedClaim = (claim: { title: string; text: string }, test: string): Claim => ({
  ...claim,
  proof: { test },
})

const features = 'packages/server/src/features'

export const sections: readonly ClaimSection[] = [
  {
    id: 'account',
    short: account.short,
    title: account.title,
    claims: [
      buildObservedClaim(account.claims.twoFactor, `${paths.settings}#two-step`),
      buildObservedClaim(account.claims.alerts, paths.login),
      buildObservedClaim(account.claims.confirmation, `${paths.demo}#secure-payments`),
      buildObservedClaim(account.claims.limits, paths.limitSettings),
      buildObservedClaim(account.claims.freeze, `${paths.settings}#freeze`),
      buildObservedClaim(account.claims.devices, paths.deviceSettings),
      buildObservedClaim(account.claims.cardMoney, paths.withdraw),
      buildTestedClaim(account.claims.guessing, `${features}/identity/sign-in/login-attempts.test.ts`),
    ],
  },
  {
    id: 'identity',
    short: identity.short,
    title: identity.title,
    claims: [
      buildObservedClaim(identity.claims.verified, paths.help),
      buildTestedClaim(identity.claims.unverified, `${features}/transfers/transfers.test.ts`),
      buildObservedClaim(identity.claims.screening, `${paths.compliance}#screening`),
      buildTestedClaim(identity.claims.counterparties, `${features}/requests/guests/listed-guests.test.ts`),
      buildObservedClaim(identity.claims.checks, paths.checks),
      buildTestedClaim(identity.claims.desk, `${features}/desk/decisions/four-eyes.test.ts`),
    ],
  },
  {
    id: 'compliance',
    short: compliance.short,
    title: compliance.title,
    claims: [
      { ...buildObservedClaim(compliance.claims.license, paths.compliance), license: true },
      buildTestedClaim(compliance.claims.ledger, 'packages/server/src/commands/migrate/grants.test.ts'),
      buildTestedClaim(compliance.claims.audit, 'packages/server/src/commands/audit/audit.test.ts'),
      buildTestedClaim(compliance.claims.reconciliation, `${features}/payments/reconciliation/reconciliation.test.ts`),
    ],
  },
  {
    id: 'data',
    short: data.short,
    title: data.title,
    claims: [
      buildTestedClaim(data.claims.encrypted, `${features}/kyc/personal-numbers.test.ts`),
      buildTestedClaim(data.claims.uploads, `${features}/kyc/documents/documents.test.ts`),
      buildTestedClaim(data.claims.tls, 'packages/server/src/platform/runtime/config.test.ts'),
      buildObservedClaim(data.claims.cards, paths.deposit),
      buildTestedClaim(data.claims.noTrackers, 'packages/web/pack/finish-build.test.ts'),
      buildObservedClaim(data.claims.manage, paths.privacySettings),
      buildObservedClaim(data.claims.looked, `${paths.privacySettings}#who-looked`),
    ],
  },
]
