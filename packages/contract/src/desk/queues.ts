import * as z from 'zod/mini'
import { currency, decimal, moment, noContent, text, uuid } from '../protocol/wire.ts'
import { deskChapters } from './chapters.ts'
import { comparison } from './comparison.ts'
import { deskEndpoint } from './desk-endpoint.ts'
import { reasonText } from './reason.ts'
import { deskQueues } from './roles.ts'

const queue = z.enum(deskQueues)
const code = z.string().check(z.regex(/^[a-z0-9_]{1,60}$/))
const money = z.object({ amount: decimal, currency })

/** Fact about a desk item. The page translates its codes into words. */
const fact = z.discriminatedUnion('kind', [
  z.object({ label: code, kind: z.literal('text'), text: z.string() }),
  z.object({ label: code, kind: z.literal('money'), ...money.shape }),
  z.object({ label: code, kind: z.literal('moment'), at: moment }),
  z.object({ label: code, kind: z.literal('code'), code }),
  z.object({ label: code, kind: z.literal('file'), id: uuid, text: z.string() }),
])
export type DeskFact = z.output<typeof fact>

const place = z.object({ account: code, whose: z.nullable(z.enum(['sender', 'recipient'])) })

/** Movement between two accounts: already posted, or to be posted on release or on return. */
const deskPosting = z.object({
  when: z.enum(['posted', 'on_release', 'on_return']),
  at: z.nullable(moment),
  from: place,
  to: place,
  ...money.shape,
})
export type DeskPosting = z.output<typeof deskPosting>

/** Rule that fired, with its inputs and its effect. */
const firedRule = z.object({
  rule: code,
  /** Version of the thresholds used. */
  version: z.nullable(z.int()),
  inputs: z.array(fact),
  did: code,
  at: z.nullable(moment),
})
export type DeskRule = z.output<typeof firedRule>

const section = z.object({
  code,
  /** Null for the section under decision, which precedes the chapters. */
  chapter: z.nullable(z.enum(deskChapters)),
  facts: z.array(fact),
  comparison: z.optional(comparison),
  postings: z.optional(z.array(deskPosting)),
  rules: z.optional(z.array(firedRule)),
})
export type DeskSection = z.output<typeof section>

/** State of the decision: none made, one of two made, the two disagree, or made but not yet carried out. */
const itemState = z.enum(['open', 'proposed', 'disputed', 'decided'])

const item = z.object({
  id: uuid,
  kind: code,
  /** Name of the person concerned, as displayed in the queue. */
  who: z.nullable(z.string()),
  amount: z.nullable(money),
  opened_at: moment,
  due_at: z.nullable(moment),
  state: itemState,
  needs_two: z.boolean(),
  for_lead: z.boolean(),
  claimed_by: z.nullable(z.string()),
  is_mine: z.boolean(),
  /** Reason that the caller cannot decide now; null if they can. */
  barred: z.nullable(z.enum(['decided_already', 'lead_needed', 'taken', 'decided', 'involved'])),
})
export type DeskItem = z.output<typeof item>

const decision = z.object({
  seat: z.enum(['first', 'second', 'lead']),
  by: z.string(),
  is_own: z.boolean(),
  at: moment,
  /** Null while hidden from the operator who has yet to decide. */
  verdict: z.nullable(code),
  reason: z.nullable(z.string()),
})
export type DeskDecision = z.output<typeof decision>

const line = z.object({
  number: z.int(),
  at: moment,
  by: z.string(),
  act: code,
  queue: z.nullable(z.string()),
  subject: z.nullable(z.string()),
  reason: z.nullable(z.string()),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
  hash: z.string(),
})
export type DeskLine = z.output<typeof line>

const openItem = z.extend(item, {
  sections: z.array(section),
  verdicts: z.array(code),
  can_ask_provider: z.boolean(),
  decisions: z.array(decision),
  timeline: z.array(line),
})
export type DeskOpenItem = z.output<typeof openItem>

const params = z.object({ queue, id: uuid })
const itemCall = { access: 'operator', act: 'queue', params } as const

export const countQueues = deskEndpoint({
  method: 'GET',
  path: '/queues',
  summary: 'Number of open entries in each queue that the operator may access.',
  access: 'operator',
  act: 'any',
  isAutomatic: true,
  reply: z.object({ counts: z.partialRecord(queue, z.int()) }),
})

export const listQueue = deskEndpoint({
  method: 'GET',
  path: '/queues/:queue',
  summary: 'Open entries of a queue, earliest deadline first. Logged.',
  access: 'operator',
  act: 'queue',
  params: z.object({ queue }),
  reply: z.object({ two_people_above: z.nullable(decimal), items: z.array(item) }),
})

export const openDeskItem = deskEndpoint({
  method: 'GET',
  path: '/queues/:queue/:id',
  summary: 'One entry with all its facts. Logged.',
  ...itemCall,
  reply: openItem,
  refusals: ['not_found'],
})

export const readDeskFile = deskEndpoint({
  method: 'GET',
  path: '/queues/:queue/:id/files/:fileId',
  summary: 'A file of an entry. Logged.',
  access: 'operator',
  act: 'queue',
  params: z.object({ queue, id: uuid, fileId: uuid }),
  file: 'application/octet-stream',
  reply: z.unknown(),
  refusals: ['not_found', 'desk_involved'],
})

export const decideDeskItem = deskEndpoint({
  method: 'POST',
  path: '/queues/:queue/:id/decision',
  summary:
    'Decide with a reason. Above a threshold a second operator must reach the same verdict, without seeing the first.',
  ...itemCall,
  body: z.object({ verdict: code, reason: reasonText }),
  reply: z.object({ outcome: z.enum(['proposed', 'carried_out', 'disputed']), verdict: z.nullable(code) }),
  refusals: [
    'not_found',
    'desk_item_closed',
    'desk_decided_already',
    'desk_lead_needed',
    'desk_taken',
    'desk_involved',
    'desk_not_carried_out',
  ],
})

export const carryOutDeskItem = deskEndpoint({
  method: 'POST',
  path: '/queues/:queue/:id/carry-out',
  summary: 'Retry the execution of an interrupted decision.',
  ...itemCall,
  reply: z.object({ outcome: z.literal('carried_out'), verdict: code }),
  refusals: ['not_found', 'desk_item_closed', 'desk_involved', 'desk_not_carried_out'],
})

export const claimDeskItem = deskEndpoint({
  method: 'POST',
  path: '/queues/:queue/:id/claim',
  summary: 'Claim an entry: other operators cannot decide it meanwhile.',
  ...itemCall,
  ...noContent,
  refusals: ['not_found', 'desk_item_closed', 'desk_taken', 'desk_involved'],
})

export const handOverDeskItem = deskEndpoint({
  method: 'POST',
  path: '/queues/:queue/:id/hand-over',
  summary: 'Assign an entry to another operator by name, or release it.',
  ...itemCall,
  body: z.object({ to: z.nullable(text(60)), reason: reasonText }),
  ...noContent,
  refusals: ['not_found', 'desk_item_closed', 'desk_taken', 'desk_involved', 'desk_not_permitted'],
})

export const escalateDeskItem = deskEndpoint({
  method: 'POST',
  path: '/queues/:queue/:id/escalation',
  summary: 'Escalate the next decision to a lead.',
  ...itemCall,
  body: z.object({ reason: reasonText }),
  ...noContent,
  refusals: ['not_found', 'desk_item_closed', 'desk_taken', 'desk_involved'],
})

export const noteDeskItem = deskEndpoint({
  method: 'POST',
  path: '/queues/:queue/:id/notes',
  summary: 'Add a note for other operators. Logged.',
  ...itemCall,
  body: z.object({ text: reasonText }),
  ...noContent,
  refusals: ['not_found', 'desk_involved'],
})

export const askProvider = deskEndpoint({
  method: 'POST',
  path: '/queues/:queue/:id/question',
  summary: 'Poll the provider for the current status.',
  ...itemCall,
  ...noContent,
  refusals: ['not_found', 'desk_involved'],
})

export const readLog = deskEndpoint({
  method: 'GET',
  path: '/log',
  summary: 'What operators did and read, the latest first. Goes on record.',
  access: 'operator',
  act: 'log',
  query: z.object({ before: z.optional(z.coerce.number().check(z.int(), z.positive())) }),
  reply: z.object({ lines: z.array(line) }),
})
