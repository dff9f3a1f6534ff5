import { money, type Money } from '@tern/money/money'
import type pg from 'pg'
import { amountText } from '../../../../platform/http/amount.ts'
import type { Caller } from '../../../../platform/http/serve.ts'
import { refuse } from '../../../../platform/refuse.ts'
import { type Exchange, priceFrom } from '../../../exchange/exchange.ts'
import type { Identity, SensitiveAction } from '../../../identity/identity.ts'
import { readStreetPolicy } from '../../../risk/risk.ts'
import type { Wallets } from '../../../wallets/wallets.ts'
import { confirmFromOf, type HeldTransfer } from '../held-rows.ts'

interface Options {
  readonly pool: pg.Pool
  readonly identity: Pick<Identity, 'requireStepUp'>
  readonly wallets: Pick<Wallets, 'findParty'>
  readonly exchange: Pick<Exchange, 'usdMinorOf'>
  readonly now: () => Date
}

const basisPoints = 10_000n

/**
 * Passes with a fresh confirmation of exactly this transfer, which street mode holds, once its time has come and until its deadline.
 * Refuses `not_confirmable_yet`, `transfer_not_held`, `price_moved`, `rates_unavailable` and `step_up_required`.
 */
export async function requireSecondProof(
  options: Options,
  held: HeldTransfer,
  caller: Caller,
  confirmation: string | undefined,
): Promise<void> {
  const at = options.now()
  if (held.held_until <= at) refuse('transfer_not_held')
  const from = confirmFromOf(held)
  if (!from || at < from) refuse('not_confirmable_yet')
  await requirePrice(options, held)
  await options.identity.requireStepUp({ caller, act: await actOf(options, held), confirmation })
}

/** Nobody waits for rates to move: a price that has become better for its recipient than the present one is promised no longer. */
async function requirePrice({ pool, exchange }: Options, { locked_price: locked }: HeldTransfer): Promise<void> {
  if (locked === null) return
  const { source, target } = priceFrom(locked)
  if (source.currency === target.currency) return
  const tolerance = BigInt((await readStreetPolicy(pool)).price_tolerance_basis_points)
  const worth = (amount: Money) => exchange.usdMinorOf(amount)
  if (worth(target) * basisPoints > worth(source) * (basisPoints + tolerance)) refuse('price_moved')
}

async function actOf({ pool, wallets }: Options, held: HeldTransfer): Promise<SensitiveAction> {
  const recipient = held.recipient_id === null ? undefined : await wallets.findParty(pool, held.recipient_id)
  const { name = null, username } = recipient ?? {}
  const to = username === undefined ? undefined : name === null ? `@${username}` : `${name} (@${username})`
  return {
    action: 'confirm_held',
    subject: {
      ...(to === undefined ? {} : { to }),
      amount: amountText(money(held.currency, held.amount_minor)),
    },
    hidden: { transfer: held.id },
  }
}
