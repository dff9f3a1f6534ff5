import type { bankLinkStatus, linkBankAccount } from '@tern/contract/banking'
import { countryOf } from '@tern/contract/countries'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { derivedId } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { confirmed } from '../../../platform/subjects.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { SensitiveAction } from '../../identity/identity.ts'
import { type BankAccounts, mostBankAccounts } from './bank-accounts.ts'
import type { PaymentContext } from '../context.ts'
import { type BankLinkIntake, createLinkOutcomes, endLink, findLink, type LinkRow } from './link-outcomes.ts'

export type { BankLinkIntake } from './link-outcomes.ts'

type ReturnTo = 'deposit' | 'withdraw' | 'settings' | 'send'

export interface BankLinks extends BankLinkIntake {
  /** Begins to link a bank account, with a fresh proof. Refuses what the contract lists. */
  linkBankAccount(
    caller: Caller,
    request: { userId?: number | undefined; returnTo?: ReturnTo | undefined },
    confirmation: string | undefined,
  ): Promise<Reply<typeof linkBankAccount>>
  /** What became of it, asking the provider now and then while it is pending. Refuses `not_found`. */
  bankLinkStatus(userId: bigint, linkId: string): Promise<Reply<typeof bankLinkStatus>>
  /** Asks about all pending linkings that were last asked about before this moment, and ends those of a day ago. */
  checkPending(polledBefore: Date): Promise<void>
}

const mostAtOnce = 500
// Whoever waits asks often; the provider's event is usually quicker than its answer.
const pollAgainMs = 2000

/** What is confirmed before money can go to a new account. One proof begins one linking, also when it is repeated. */
const act: SensitiveAction = {
  action: 'link_bank_account',
  subject: {
    account: confirmed('account_chosen_at_bank'),
    allows: confirmed('withdrawals_and_deposits'),
  },
  hidden: { idempotencyKey: 'named_by_confirmation' },
}

/** Bank accounts are linked on the provider's pages, where their owners choose and consent. */
export function createBankLinks(context: PaymentContext, bankAccounts: BankAccounts): BankLinks {
  const { pool, provider, identity, now, log } = context
  const { linkTaking, check } = createLinkOutcomes(context, bankAccounts)

  /** Gives the id of the linking that this proof begins. */
  async function requireStepUp(caller: Caller, confirmation: string | undefined): Promise<string> {
    const linkId = derivedId('bank link', caller.userId, confirmation ?? '')
    const earlier = await findLink(context, linkId)
    await identity.stepUp.require(caller, act, earlier && earlier.status !== 'pending' ? undefined : confirmation)
    return linkId
  }

  return {
    linkTaking,

    async linkBankAccount(caller, { userId, returnTo = 'withdraw' }, confirmation) {
      if (userId !== undefined && BigInt(userId) !== caller.userId) refuseField('not_your_account', 'userId')
      if (!caller.verified) refuse('verification_required')
      if ((await bankAccounts.bankAccounts(caller.userId)).length >= mostBankAccounts) {
        refuse('invalid_request', { reason: { code: 'too_many_bank_accounts', params: { max: mostBankAccounts } } })
      }
      const linkId = await requireStepUp(caller, confirmation)
      return { redirectUrl: await begin(context, caller, { returnTo, linkId }), link_id: linkId }
    },

    async bankLinkStatus(userId, linkId) {
      const link = await findLink(context, linkId)
      if (!link || link.user_id !== userId) return refuse('not_found')
      const isDue = now().getTime() - link.last_polled_at.getTime() >= pollAgainMs
      if (link.status === 'pending' && isDue) await check(link)
      const { status, bank_account_id: accountId } = (await findLink(context, linkId)) ?? link
      const account = accountId === null ? undefined : await bankAccounts.anyAccount(accountId)
      return { status, bank_account: account?.view ?? null }
    },

    async checkPending(polledBefore) {
      const { rows } = await pool.query<LinkRow>(
        `select * from bank_link where status = 'pending' and provider = $1 and last_polled_at < $2 order by last_polled_at limit $3`,
        [provider.name, polledBefore, mostAtOnce],
      )
      for (const link of rows) {
        try {
          await check(link)
        } catch (error) {
          log.error({ err: error, linkId: link.id }, 'a linking could not be checked')
        }
      }
    },
  }
}

/** Opens the provider's page, the same one however often it is asked for; gives its address. */
async function begin(
  context: PaymentContext,
  { userId }: Caller,
  { returnTo, linkId }: { returnTo: ReturnTo; linkId: string },
): Promise<string> {
  const { pool, provider, publicUrl, identity, kyc, now, log } = context
  const person = (await identity.usersById([userId])).get(userId) ?? refuse('unauthenticated')
  const country = countryOf((await kyc.residenceOf(userId)) ?? '') ?? refuse('verification_required')
  await pool.query(
    `insert into bank_link (id, user_id, provider, status, created_at, updated_at, last_polled_at)
     values ($1, $2, $3, 'pending', $4, $4, $4) on conflict (id) do nothing`,
    [linkId, userId, provider.name, now()],
  )
  const result = await provider.bank.beginLink({
    linkId,
    userReference: String(userId),
    holderName: person.name ?? person.username,
    email: person.email,
    country: country.code,
    returnUrl: `${publicUrl}/${returnTo}`,
    idempotencyKey: linkId,
  })
  if (result.status === 'unknown') return refuse('provider_unavailable')
  if (result.status === 'refused') {
    log.warn({ linkId, reason: result.reason }, 'the provider refuses to link a bank account')
    await endLink(context, linkId, 'failed')
    return refuse('provider_unavailable')
  }
  await pool.query('update bank_link set session_id = $2, updated_at = $3 where id = $1', [
    linkId,
    result.sessionId,
    now(),
  ])
  return result.url
}
