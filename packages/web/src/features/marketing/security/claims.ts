import { securityPage } from '#messages/site/security-page.ts'
import { paths } from '../../../app/paths.ts'

/** Page that shows the claim at work, or the test in this repository that proves it. */
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

const seen = (claim: { title: string; text: string; where: string }, href: string): Claim => ({
  title: claim.title,
  text: claim.text,
  proof: { href, where: claim.where },
})

/** Claim proved by a test; the path is relative to the repository. */
const tested = (claim: { title: string; text: string }, test: string): Claim => ({ ...claim, proof: { test } })

const features = 'packages/server/src/features'

export const sections: readonly ClaimSection[] = [
  {
    id: 'account',
    short: account.short,
    title: account.title,
    claims: [
      seen(account.claims.twoFactor, `${paths.settings}#two-step`),
      seen(account.claims.alerts, paths.login),
      seen(account.claims.confirmation, `${paths.demo}#secure-payments`),
      seen(account.claims.limits, paths.limitSettings),
      seen(account.claims.freeze, `${paths.settings}#freeze`),
      seen(account.claims.devices, paths.deviceSettings),
      seen(account.claims.cardMoney, paths.withdraw),
      tested(account.claims.guessing, `${features}/identity/sign-in/login-attempts.test.ts`),
    ],
  },
  {
    id: 'identity',
    short: identity.short,
    title: identity.title,
    claims: [
      seen(identity.claims.verified, paths.help),
      tested(identity.claims.unverified, `${features}/transfers/transfers.test.ts`),
      seen(identity.claims.screening, `${paths.compliance}#screening`),
      tested(identity.claims.counterparties, `${features}/requests/guests/listed-guests.test.ts`),
      seen(identity.claims.checks, paths.checks),
      tested(identity.claims.desk, `${features}/desk/decisions/four-eyes.test.ts`),
    ],
  },
  {
    id: 'compliance',
    short: compliance.short,
    title: compliance.title,
    claims: [
      { ...seen(compliance.claims.license, paths.compliance), license: true },
      tested(compliance.claims.ledger, 'packages/server/src/commands/migrate/grants.test.ts'),
      tested(compliance.claims.audit, 'packages/server/src/commands/audit/audit.test.ts'),
      tested(compliance.claims.reconciliation, `${features}/payments/reconciliation/reconciliation.test.ts`),
    ],
  },
  {
    id: 'data',
    short: data.short,
    title: data.title,
    claims: [
      tested(data.claims.encrypted, `${features}/kyc/personal-numbers.test.ts`),
      tested(data.claims.uploads, `${features}/kyc/documents/documents.test.ts`),
      tested(data.claims.tls, 'packages/server/src/platform/runtime/config.test.ts'),
      seen(data.claims.cards, paths.deposit),
      tested(data.claims.noTrackers, 'packages/web/pack/finish-build.test.ts'),
      seen(data.claims.manage, paths.privacySettings),
      seen(data.claims.looked, `${paths.privacySettings}#who-looked`),
    ],
  },
]
