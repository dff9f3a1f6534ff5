// Checks of the Stripe account for identity verification: key, permissions, event destination.

import { identityEventTypes } from '../events/stripe-event-types.ts'
import { fault, type Installation, notChecked, ok, type ProviderSetup, type SetupFinding } from '../setup.ts'
import type { StripeConnection } from '../stripe-connection.ts'
import { checkDestinations } from './destinations.ts'
import { checkPermissions, identityPermissions } from './permissions.ts'
import { look, lookOptions, unseenFinding } from './stripe-failure.ts'

const resource = 'sensitive verification results'

/**
 * Lists one verification with its sensitive results. A key that may not read them is refused, or gets the session
 * without them.
 */
async function checkResults(connection: StripeConnection): Promise<SetupFinding> {
  const tried = 'Reads the newest verified session with its sensitive results.'
  const { verificationSessions } = connection.stripe.identity
  const seen = await look(connection, () =>
    verificationSessions.list({ limit: 1, status: 'verified', expand: ['data.verified_outputs'] }, lookOptions),
  )
  if (seen.status === 'forbidden') {
    const todo = `Give the restricted key of STRIPE_IDENTITY_KEY read access to ${resource}.`
    return fault(`The key may not read ${resource}.`, todo, tried)
  }
  if (seen.status !== 'seen') return { ...unseenFinding(seen, connection, { resource }), tried }
  const [session] = seen.result.data
  if (!session) return notChecked('No session has been verified yet.', 'Run this check after the first one.', tried)
  if (session.verified_outputs) return ok('The key may read them.', tried)
  return notChecked(
    'Stripe shows no results of that session.',
    'If users stay pending, restrict the key to the addresses of your servers: other keys read results for 48 hours.',
    tried,
  )
}

async function checkMode(connection: StripeConnection, { isProduction }: Installation): Promise<SetupFinding> {
  const { verificationSessions } = connection.stripe.identity
  const seen = await look(connection, () => verificationSessions.list({ limit: 1 }, lookOptions))
  if (seen.status !== 'seen') return unseenFinding(seen, connection, { resource: 'Identity verification sessions' })
  const isLive = seen.result.data[0]?.livemode ?? !connection.secretKey.includes('_test_')
  if (isLive === isProduction) return ok(`The key is of ${isLive ? 'live' : 'test'} mode.`)
  const needed = isProduction ? 'live' : 'test'
  return fault(`It is a key of another mode.`, `Set STRIPE_IDENTITY_KEY to a key of ${needed} mode.`)
}

export function createStripeIdentitySetup(connection: StripeConnection): ProviderSetup {
  const expected = [{ payload: 'snapshot', types: identityEventTypes }] as const
  const secretName = 'STRIPE_IDENTITY_WEBHOOK_SECRET'
  return {
    topics: [
      { name: 'key', tried: 'Lists a verification session with STRIPE_IDENTITY_KEY.' },
      { name: 'permissions', tried: 'Tries each permission of STRIPE_IDENTITY_KEY.' },
      { name: 'webhooks', tried: "Lists Stripe's event destinations for identity checks." },
    ],
    async check(topic, installation) {
      if (topic === 'key') return [await checkMode(connection, installation)]
      if (topic === 'webhooks') return checkDestinations(connection, installation, { expected, secretName })
      const permissions = checkPermissions(connection, identityPermissions)
      return [...(await permissions), await checkResults(connection)]
    },
  }
}
