import { deskEndpoints as endpoints } from '@tern/contract/desk/endpoints'
import { actsOf, deskQueues, isPermitted } from '@tern/contract/desk/roles'
import type { FastifyInstance } from 'fastify'
import { limitPerAddress } from '../../platform/http/rate-limits.ts'
import type { Operator } from './context.ts'
import { performAgain, decide } from './decisions/decide.ts'
import * as acts from './decisions/item-acts.ts'
import { countItems, listItems, openItem, readItemFile } from './decisions/item-view.ts'
import type { Desk } from './desk.ts'
import { readLines, writeLine } from './log.ts'
import { disableOperator, listOperators } from './operators/operators.ts'
import { beginEnrolment, beginSignIn, finishEnrolment, finishSignIn } from './operators/passkeys.ts'
import { endSession, setSessionCookie } from './operators/sessions.ts'
import { guardDesk, serveDesk } from './serve-desk.ts'
import { treasuryView } from './treasury-view.ts'

type Served = ReturnType<typeof guardDesk>

// Operators in one office share an address, and passkeys cannot be guessed.
const signInsPerMinute = 300

const meOf = ({ id, name, roles, signedInAt }: Operator) => ({
  id,
  name,
  roles: [...roles],
  acts: actsOf(roles),
  signed_in_at: signedInAt.toISOString(),
})

/** Registers every call of the desk on the admin port. */
export function deskRoutes(api: FastifyInstance, desk: Desk): void {
  const served = guardDesk(api, desk)
  sessionRoutes(api, served, desk)
  operatorRoutes(api, served, desk)
  queueRoutes(api, served, desk)
  watchRoutes(api, served, desk)
}

function sessionRoutes(api: FastifyInstance, served: Served, { context, pool }: Desk): void {
  const limit = limitPerAddress(api, 'desk sign-in', signInsPerMinute)

  serveDesk(api, served, endpoints.beginEnrolment, async ({ body, request }) => {
    await limit(request)
    return beginEnrolment(context, pool, body.token)
  })
  serveDesk(api, served, endpoints.finishEnrolment, async ({ body, request }) => {
    await limit(request)
    await finishEnrolment(context, pool, body)
  })
  serveDesk(api, served, endpoints.beginSignIn, async ({ request }) => {
    await limit(request)
    return beginSignIn(context, pool)
  })
  serveDesk(api, served, endpoints.signIn, async ({ body, request, reply }) => {
    await limit(request)
    const { operator, token } = await finishSignIn(context, pool, body)
    setSessionCookie(context, reply, token)
    return meOf(operator)
  })
  serveDesk(api, served, endpoints.readMe, ({ operator }) => Promise.resolve(meOf(operator)))
  serveDesk(api, served, endpoints.signOut, async ({ operator, request, reply }) => {
    await endSession(context, pool, { request, reply })
    await writeLine(pool, operator, { act: 'signed_out' }, context.realNow())
  })
}

function operatorRoutes(api: FastifyInstance, served: Served, { context, pool }: Desk): void {
  serveDesk(api, served, endpoints.listOperators, async () => ({ operators: await listOperators(pool) }))
  serveDesk(api, served, endpoints.disableOperator, ({ params, body, operator }) =>
    disableOperator(context, pool, { id: params.id, reason: body.reason, actor: operator }),
  )
}

function queueRoutes(api: FastifyInstance, served: Served, { context, pool, queues }: Desk): void {
  serveDesk(api, served, endpoints.countQueues, async ({ operator }) => {
    const own = deskQueues.filter((name) => isPermitted(operator.roles, name))
    const counted = own.map(
      async (name) => [name, await countItems(context, pool, { queue: queues[name], reader: operator })] as const,
    )
    return { counts: Object.fromEntries(await Promise.all(counted)) }
  })
  serveDesk(api, served, endpoints.listQueue, ({ params, operator }) =>
    listItems(context, pool, { queue: queues[params.queue], reader: operator }),
  )
  serveDesk(api, served, endpoints.openDeskItem, ({ params: { queue, id }, operator }) =>
    openItem(context, pool, { queue: queues[queue], reader: operator, id }),
  )
  serveDesk(api, served, endpoints.decideDeskItem, ({ params: { queue, id }, body, operator }) =>
    decide(context, pool, { ...body, queue: queues[queue], operator, id }),
  )
  serveDesk(api, served, endpoints.carryOutDeskItem, async ({ params: { queue, id }, operator }) => ({
    outcome: 'carried_out' as const,
    verdict: await performAgain(context, pool, { queue: queues[queue], operator, id }),
  }))
  serveDesk(api, served, endpoints.claimDeskItem, ({ params: { queue, id }, operator }) =>
    acts.claimItem(context, pool, { queue: queues[queue], operator, id }),
  )
  serveDesk(api, served, endpoints.handOverDeskItem, ({ params: { queue, id }, body, operator }) =>
    acts.handOverItem(context, pool, { ...body, queue: queues[queue], operator, id }),
  )
  serveDesk(api, served, endpoints.escalateDeskItem, ({ params: { queue, id }, body, operator }) =>
    acts.escalateItem(context, pool, { ...body, queue: queues[queue], operator, id }),
  )
  serveDesk(api, served, endpoints.noteDeskItem, ({ params: { queue, id }, body, operator }) =>
    acts.noteOnItem(context, pool, { ...body, queue: queues[queue], operator, id }),
  )
  serveDesk(api, served, endpoints.askProvider, ({ params: { queue, id }, operator }) =>
    acts.askProviderAboutItem(context, pool, { queue: queues[queue], operator, id }),
  )
  serveDesk(api, served, endpoints.readDeskFile, async ({ params: { queue, id, fileId }, operator, reply }) => {
    const { contentType, bytes } = await readItemFile(context, pool, {
      queue: queues[queue],
      reader: operator,
      id,
      fileId,
    })
    void reply.headers({ 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff' })
    void reply.header('content-security-policy', "default-src 'none'; sandbox").type(contentType)
    return bytes
  })
}

function watchRoutes(api: FastifyInstance, served: Served, { context, pool, treasury, lookUpPerson }: Desk): void {
  const { realNow } = context
  serveDesk(api, served, endpoints.lookUpPerson, async ({ body, operator }) => ({
    person: await lookUpPerson({ reader: operator, typed: body.who }),
  }))
  serveDesk(api, served, endpoints.readTreasury, async ({ operator }) => {
    await writeLine(pool, operator, { act: 'read_treasury' }, realNow())
    return treasuryView(treasury)
  })
  serveDesk(api, served, endpoints.readLog, async ({ query, operator }) => {
    await writeLine(pool, operator, { act: 'read_log' }, realNow())
    return { lines: await readLines(pool, operator.id, query.before) }
  })
}
