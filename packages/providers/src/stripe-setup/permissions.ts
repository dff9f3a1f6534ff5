import type { Stripe } from 'stripe'
import { fault, notChecked, ok, type SetupFinding } from '../setup.ts'
import type { StripeConnection } from '../stripe-connection.ts'
import { look, lookOptions, type StripeLook } from './stripe-failure.ts'

/** Permission of a restricted key, under Stripe's name for it, and a call that needs it. */
export interface StripePermission {
  readonly name: string
  readonly access: 'read' | 'write'
  readonly tried: string
  readonly call: (stripe: Stripe) => Promise<unknown>
}

const one = { limit: 1 } as const

/**
 * Permissions for taking money. Writing is tried on an object that cannot exist: Stripe checks the permission first and
 * then answers that there is no such object.
 */
const collectPermissions: readonly StripePermission[] = [
  {
    name: 'Checkout Sessions',
    access: 'write',
    tried: 'expire a session that does not exist',
    call: ({ checkout }) => checkout.sessions.expire('cs_tern_doctor', {}, lookOptions),
  },
  {
    name: 'Payment Intents',
    access: 'write',
    tried: 'cancel a payment that does not exist',
    call: ({ paymentIntents }) => paymentIntents.cancel('pi_tern_doctor', {}, lookOptions),
  },
  {
    name: 'Payment Methods',
    access: 'write',
    tried: 'detach a payment method that does not exist',
    call: ({ paymentMethods }) => paymentMethods.detach('pm_tern_doctor', {}, lookOptions),
  },
  {
    name: 'Customers',
    access: 'write',
    tried: 'update a customer that does not exist',
    call: ({ customers }) => customers.update('cus_tern_doctor', {}, lookOptions),
  },
  {
    name: 'Charges',
    access: 'read',
    tried: 'list one charge',
    call: ({ charges }) => charges.list(one, lookOptions),
  },
  {
    name: 'Refunds',
    access: 'read',
    tried: 'list one refund',
    call: ({ refunds }) => refunds.list(one, lookOptions),
  },
  {
    name: 'Disputes',
    access: 'read',
    tried: 'list one dispute',
    call: ({ disputes }) => disputes.list(one, lookOptions),
  },
  {
    name: 'Early Fraud Warnings',
    access: 'read',
    tried: 'list one early fraud warning',
    call: ({ radar }) => radar.earlyFraudWarnings.list(one, lookOptions),
  },
  {
    name: 'Balance',
    access: 'read',
    tried: 'list one entry of the balance',
    call: ({ balanceTransactions }) => balanceTransactions.list(one, lookOptions),
  },
]

const payoutPermissions: readonly StripePermission[] = [
  {
    name: 'Accounts v2',
    access: 'write',
    tried: 'update a recipient that does not exist',
    call: ({ v2 }) => v2.core.accounts.update('acct_ternDoctor', {}, lookOptions),
  },
  {
    name: 'Payout Methods',
    access: 'write',
    tried: 'archive a payout method that does not exist',
    call: ({ v2 }) => v2.moneyManagement.payoutMethods.archive('usba_tern_doctor', {}, lookOptions),
  },
  {
    name: 'Outbound Payments',
    access: 'write',
    tried: 'cancel an outbound payment that does not exist',
    call: ({ v2 }) => v2.moneyManagement.outboundPayments.cancel('obp_tern_doctor', {}, lookOptions),
  },
  {
    name: 'Transactions of financial accounts',
    access: 'read',
    tried: 'list one entry of a financial account',
    call: ({ v2 }) => v2.moneyManagement.transactionEntries.list(one, lookOptions),
  },
]

const identityPermissions: readonly StripePermission[] = [
  {
    name: 'Identity verification sessions',
    access: 'write',
    tried: 'cancel a verification that does not exist',
    call: ({ identity }) => identity.verificationSessions.cancel('vs_tern_doctor', {}, lookOptions),
  },
]

export const listMoneyPermissions = ({ financialAccount }: StripeConnection): readonly StripePermission[] =>
  financialAccount === undefined ? collectPermissions : [...collectPermissions, ...payoutPermissions]

export { identityPermissions }

/** Tries each permission with a call that changes nothing. */
export const checkPermissions = (
  connection: StripeConnection,
  permissions: readonly StripePermission[],
): Promise<SetupFinding[]> =>
  Promise.all(
    permissions.map(async (permission) =>
      judgePermission(permission, await look(connection, () => permission.call(connection.stripe)), connection),
    ),
  )

function judgePermission(
  { name, access, tried }: StripePermission,
  seen: StripeLook<unknown>,
  { keyName = 'STRIPE_SECRET_KEY' }: StripeConnection,
): SetupFinding {
  const sentence = `Asks Stripe to ${tried} (${name}, ${access}).`
  if (seen.status === 'key_refused') {
    return fault(`${seen.reason}.`, `Set ${keyName} to a current key of this account.`, sentence)
  }
  if (seen.status === 'forbidden') {
    const permission = seen.permission === undefined ? '' : ` (${seen.permission})`
    const found = `The key may not ${access} ${name}${permission}.`
    return fault(found, `Give the restricted key of ${keyName} ${access} access to ${name}.`, sentence)
  }
  if (seen.status === 'unknown') return notChecked(`${seen.reason}.`, 'Run this check again.', sentence)
  const isExpected = (seen.status === 'absent') === (access === 'write')
  if (isExpected) return ok(`The key may ${access} ${name}.`, sentence)
  return notChecked(
    "Stripe's answer proves nothing about the permission.",
    "See the key in Stripe's dashboard.",
    sentence,
  )
}
