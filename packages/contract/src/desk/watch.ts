import * as z from 'zod/mini'
import { currency, decimal, moment, requiredText } from '../protocol/wire.ts'
import { deskEndpoint } from './desk-endpoint.ts'

const person = z.object({
  id: z.int(),
  username: z.string(),
  name: z.nullable(z.string()),
  email: z.string(),
  kyc_status: z.string(),
  country: z.nullable(z.string()),
  created_at: moment,
  balances: z.array(z.object({ currency, available: decimal, held: decimal })),
  limits: z.array(
    z.object({
      direction: z.enum(['out', 'in']),
      method: z.nullable(z.string()),
      period: z.enum(['payment', 'day', '30_days']),
      is_own: z.boolean(),
      max: z.nullable(decimal),
      used: decimal,
    }),
  ),
  /** Counts of the person's items that await an operator's decision. */
  waiting: z.object({ holds: z.int(), verifications: z.int() }),
})
export type DeskPerson = z.output<typeof person>

export const lookUpPerson = deskEndpoint({
  method: 'POST',
  path: '/people',
  summary: 'A user by account number, username or exact email, with balances and limits. Logged.',
  access: 'operator',
  act: 'people',
  body: z.object({ who: requiredText(254, 'missing') }),
  reply: z.object({ person: z.nullable(person) }),
  refusals: ['desk_involved'],
})

const position = z.object({
  currency,
  position: decimal,
  usd: z.nullable(decimal),
  incoming: decimal,
  outgoing: decimal,
  limits: z.nullable(z.object({ long: decimal, short: decimal, flatten_above: decimal })),
})
export type DeskPosition = z.output<typeof position>

export const readTreasury = deskEndpoint({
  method: 'GET',
  path: '/treasury',
  summary: 'Positions of every currency, promised amounts, and open orders with venues.',
  access: 'operator',
  act: 'treasury',
  reply: z.object({
    positions: z.array(position),
    locked: z.object({ usd: decimal, max: decimal }),
    orders: z.array(
      z.object({ id: z.string(), provider: z.string(), sells: z.string(), buys: currency, ordered_by: z.string() }),
    ),
  }),
})
