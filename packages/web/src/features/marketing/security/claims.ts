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

const observed = (claim: { title: string; text: string; where: string }, href: string): Claim => ({
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
      observed(account.claims.twoFactor, `${paths.settings}#two-step`),
      observed(account.claims.alerts, paths.login),
      observed(account.claims.confirmation, `${paths.demo}#secure-payments`),
      observed(account.claims.limits, paths.limitSettings),
      observed(account.claims.freeze, `${paths.settings}#freeze`),
      observed(account.claims.devices, paths.deviceSettings),
      observed(account.claims.cardMoney, paths.withdraw),
      tested(account.claims.guessing, `${features}/identity/sign-in/login-attempts.test.ts`),
    ],
  },
  {
    id: 'identity',
    short: identity.short,
    title: identity.title,
    claims: [
      observed(identity.claims.verified, paths.help),
      tested(identity.claims.unverified, `${features}/transfers/transfers.test.ts`),
      observed(identity.claims.screening, `${paths.compliance}#screening`),
      tested(identity.claims.counterparties, `${features}/requests/guests/listed-guests.test.ts`),
      observed(identity.claims.checks, paths.checks),
      tested(identity.claims.desk, `${features}/desk/decisions/four-eyes.test.ts`),
    ],
  },
  {
    id: 'compliance',
    short: compliance.short,
    title: compliance.title,
    claims: [
      { ...observed(compliance.claims.license, paths.compliance), license: true },
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
      observed(data.claims.cards, paths.deposit),
      tested(data.claims.noTrackers, 'packages/web/pack/finish-build.test.ts'),
      observed(data.claims.manage, paths.privacySettings),
      observed(data.claims.looked, `${paths.privacySettings}#who-looked`),
    ],
  },
]
