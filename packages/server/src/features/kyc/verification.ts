import { findCountry } from '@tern/contract/countries'
import type { KycStatus } from '@tern/contract/kyc'
import type { VerificationForm } from '@tern/contract/kyc/verification-form'
import type { IdentityReason } from '@tern/providers/verify/port'
import type pg from 'pg'
import { type Db, transact } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import { lockKycStatus, setKycStatus } from '../identity/identity.ts'
import { pollAwaitedForm, resumeCheck } from './checks.ts'
import type { KycContext } from './context.ts'
import { insertSubmission, type NextStep, findHostedCheck, readState } from './records/submission.ts'

/** Status of a verification and its open requirements. */
export interface KycState {
  readonly status: KycStatus
  readonly reasons: IdentityReason[]
  /** Step the user must take before the verification can continue. */
  readonly nextStep: NextStep | null
}

// Users cannot change this; verification continues once the lists are fresh.
const staleListsReason: IdentityReason = { field: 'check', code: 'lists_not_current' }

const readKnownState = async (db: Db, userId: bigint): Promise<KycState> =>
  (await readState(db, userId)) ?? refuse('not_found')

/**
 * Stores a form, and sends it to the provider once the user's email is confirmed. The status is `pending` until the
 * provider answers. Refuses `already_verified`, `provider_unavailable`, and `verification_running` while pending or in
 * review.
 */
export async function submitForm(
  ctx: KycContext,
  pool: pg.Pool,
  { userId, form }: { userId: bigint; form: VerificationForm },
): Promise<KycState> {
  const { providers, identity, now } = ctx
  const provider = providers.choose({ country: findCountry(form.country)?.code }) ?? refuse('provider_unavailable')
  const at = now()
  const id = newId(at)
  await transact(pool, async (tx) => {
    const status = await lockKycStatus(tx, userId)
    if (status === 'verified') refuse('already_verified')
    if (status === 'pending' || status === 'in_review') refuse('verification_running')
    await insertSubmission(ctx, tx, { id, userId, form, provider: provider.name, at: now() })
    await setKycStatus(tx, { userId, status: 'pending' })
  })
  identity.forgetUser(userId)
  await resumeCheck(ctx, pool, { id, polledBefore: new Date(now().getTime() + 1) })
  return readKnownState(pool, userId)
}

/** Returns the state of a user's verification, polling the provider if its answer is due. Refuses `not_found`. */
export async function readStatus(ctx: KycContext, pool: pg.Pool, userId: bigint): Promise<KycState> {
  await pollAwaitedForm(ctx, pool, userId)
  const state = await readKnownState(pool, userId)
  const mayWaitForLists = state.status === 'pending' && state.nextStep === null
  if (mayWaitForLists && (await ctx.lists?.areTooOld(pool)) === true) return { ...state, reasons: [staleListsReason] }
  // Another process may have decided. If the user is verified now, their next call must see it.
  ctx.identity.forgetUser(userId)
  return state
}

/** Returns the address of the provider's page, valid once. Refuses `not_found`, `provider_unavailable`. */
export async function openHostedPage({ providers }: KycContext, db: Db, userId: bigint): Promise<string> {
  const { provider, checkId } = (await findHostedCheck(db, userId)) ?? refuse('not_found')
  const page = (await providers.find(provider)?.openPage(checkId)) ?? refuse('provider_unavailable')
  if (page.status === 'unknown') refuse('provider_unavailable')
  return page.status === 'open' ? page.url : refuse('not_found')
}
