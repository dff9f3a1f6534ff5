import { notChecked, fault, type SetupFinding } from '../setup.ts'
import { toFailure, type StripeConnection } from '../stripe-connection.ts'

/** Result of a call to Stripe that only looks. `absent`: allowed, but the object does not exist. */
export type StripeLook<Result> =
  | { readonly status: 'seen'; readonly result: Result }
  | { readonly status: 'absent' }
  | { readonly status: 'forbidden'; readonly permission: string | undefined }
  | { readonly status: 'key_refused'; readonly reason: string }
  | { readonly status: 'unknown'; readonly reason: string }

/** Longest wait for one call, and no retries: an operator can run the command again. */
export const lookOptions = { maxNetworkRetries: 0, timeout: 10_000 } as const

/** Stripe names the missing permission in its message, which also quotes a part of the key. */
const readPermission = (message: string): string | undefined => /'(rak_\w+)'/.exec(message)?.[1]

export async function look<Result>(
  connection: StripeConnection,
  work: () => Promise<Result>,
): Promise<StripeLook<Result>> {
  try {
    return { status: 'seen', result: await work() }
  } catch (error) {
    const { errors } = connection.stripe
    if (!(error instanceof errors.StripeError)) throw error
    if (error.statusCode === 403) return { status: 'forbidden', permission: readPermission(error.message) }
    const { reason } = toFailure(connection, error)
    if (error.statusCode === 401) return { status: 'key_refused', reason }
    const isAboutObject = error.statusCode === 400 || error.statusCode === 404
    return isAboutObject ? { status: 'absent' } : { status: 'unknown', reason }
  }
}

/** Finding for a look that returned nothing, where reading is a help to this command only. */
export function unseenFinding(
  look: Exclude<StripeLook<unknown>, { status: 'seen' }>,
  { keyName = 'STRIPE_SECRET_KEY' }: StripeConnection,
  { resource, absent }: { readonly resource: string; readonly absent?: SetupFinding },
): SetupFinding {
  if (look.status === 'key_refused') return fault(`${look.reason}.`, `Set ${keyName} to a current key.`)
  if (look.status === 'forbidden') {
    const permission = look.permission === undefined ? '' : ` (${look.permission})`
    return notChecked(
      `The key may not read ${resource}${permission}.`,
      `Give the key of ${keyName} read access to ${resource}, or check it in Stripe's dashboard.`,
    )
  }
  if (look.status === 'unknown') return notChecked(`${look.reason}.`, 'Run this check again.')
  return absent ?? notChecked(`Stripe does not list ${resource}.`, "Check them in Stripe's dashboard.")
}
