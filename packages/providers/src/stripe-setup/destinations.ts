import { fault, type SetupFinding, type Installation, notChecked, ok } from '../setup.ts'
import type { StripeConnection } from '../stripe-connection.ts'
import { look, lookOptions, type StripeLook, unseenFinding } from './stripe-failure.ts'

type Payload = 'snapshot' | 'thin'

/** Event destination in either of Stripe's two lists. */
interface Destination {
  readonly id: string
  readonly url: string
  readonly payload: Payload
  readonly events: readonly string[]
  readonly isEnabled: boolean
  /** Version of snapshots; null: that of the account. */
  readonly version: string | null
}

/** Events that must arrive at one address. */
export interface ExpectedEvents {
  readonly payload: Payload
  readonly types: readonly string[]
}

const most = 200

/** Lists the event destinations, and the older webhook endpoints that are missing there. */
async function listDestinations({ stripe }: StripeConnection): Promise<Destination[]> {
  const destinations = await stripe.v2.core.eventDestinations
    .list({ limit: 100, include: ['webhook_endpoint.url'] }, lookOptions)
    .autoPagingToArray({ limit: most })
  const endpoints = await stripe.webhookEndpoints.list({ limit: 100 }, lookOptions).autoPagingToArray({ limit: most })
  const known = new Set(destinations.map(({ id }) => id))
  return [
    ...destinations.flatMap((each): Destination[] => {
      const url = each.webhook_endpoint?.url
      if (url === undefined) return []
      const { id, event_payload: payload, enabled_events: events, snapshot_api_version: version = null } = each
      return [{ id, url, payload, events, version, isEnabled: each.status === 'enabled' }]
    }),
    ...endpoints
      .filter(({ id }) => !known.has(id))
      .map(({ id, url, enabled_events: events, status, api_version: version }) => {
        return { id, url, payload: 'snapshot', events, version, isEnabled: status === 'enabled' } as const
      }),
  ]
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

interface Expectation {
  readonly expected: readonly ExpectedEvents[]
  /** Setting with the signing secrets. */
  readonly secretName: string
}

/** Compares the event destinations at Stripe with the events that the adapters need at this installation's address. */
export async function checkDestinations(
  connection: StripeConnection,
  { publicUrl }: Installation,
  { expected, secretName }: Expectation,
): Promise<SetupFinding[]> {
  const address = `${publicUrl}/api/webhooks/stripe`
  const seen: StripeLook<Destination[]> = await look(connection, () => listDestinations(connection))
  if (seen.status !== 'seen') {
    return [unseenFinding(seen, connection, { resource: 'Webhook Endpoints and Event Destinations' })]
  }
  const ours = seen.result.filter(({ url }) => withoutSlash(url) === address)
  const others = seen.result.filter(({ url }) => withoutSlash(url) !== address).map(({ url }) => url)
  const used = ours.filter(
    ({ isEnabled, events }) => isEnabled && expected.some((each) => sendsAny(events, each.types)),
  )
  return [
    ...expected.map((each) =>
      judgeEvents(ours, each, { address, others, version: connection.stripe.getApiField('version') }),
    ),
    judgeSecrets(used.length, connection.webhookSecrets.length, secretName),
  ]
}

const sends = (events: readonly string[], type: string): boolean => events.includes('*') || events.includes(type)
const sendsAny = (events: readonly string[], types: readonly string[]) => types.some((type) => sends(events, type))

interface Place {
  readonly address: string
  /** Addresses of the account's other destinations. */
  readonly others: readonly string[]
  readonly version: string
}

function judgeEvents(
  ours: readonly Destination[],
  { payload, types }: ExpectedEvents,
  { address, others, version }: Place,
): SetupFinding {
  const tried = `Lists Stripe's event destinations with ${payload} payload for ${address}.`
  const destinations = ours.filter((each) => each.payload === payload && sendsAny(each.events, types))
  const enabled = destinations.filter(({ isEnabled }) => isEnabled)
  if (destinations.length === 0) {
    const elsewhere = others.length === 0 ? '' : ` Other destinations send to ${others.join(', ')}.`
    const todo = `Create an event destination with ${payload} payload for ${address} and the events ${types.join(', ')}.`
    return fault(`No destination with ${payload} payload sends to this address.${elsewhere}`, todo, tried)
  }
  if (enabled.length === 0) {
    return fault(`${destinations.map(({ id }) => id).join(', ')} is disabled.`, 'Enable it at Stripe.', tried)
  }
  const missing = types.filter((type) => !enabled.some(({ events }) => sends(events, type)))
  if (missing.length > 0) {
    return fault(`No destination sends ${missing.join(', ')}.`, 'Add these events to the destination.', tried)
  }
  const outdated = payload === 'snapshot' ? enabled.find((each) => each.version !== version) : undefined
  if (outdated) {
    const found = `${outdated.id} sends API version ${outdated.version ?? "of the account's default"}, not ${version}.`
    return fault(found, `Create a destination with API version ${version}, then delete ${outdated.id}.`, tried)
  }
  const versionText = payload === 'snapshot' ? ` in API version ${version}` : ''
  return ok(`${enabled.map(({ id }) => id).join(', ')} sends all ${types.length} events${versionText}.`, tried)
}

/** Every destination signs with a secret of its own; events signed with an unknown one are refused. */
function judgeSecrets(destinationCount: number, secretCount: number, secretName: string): SetupFinding {
  const tried = `Compares the count of signing secrets in ${secretName} with the destinations.`
  if (destinationCount === 0) return notChecked('No destination sends events to this address.', undefined, tried)
  if (secretCount >= destinationCount) return ok(`${secretCount} for ${destinationCount} destinations.`, tried)
  return fault(
    `${secretCount} for ${destinationCount} destinations: the events of a destination without its secret are refused.`,
    `List the signing secret of each destination in ${secretName}, separated by commas.`,
    tried,
  )
}
