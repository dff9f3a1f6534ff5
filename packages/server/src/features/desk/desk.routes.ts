import { deskEndpoints as endpoints } from '@tern/contract/desk/endpoints'
import { listPermittedActs, deskQueues, isPermitted } from '@tern/contract/desk/roles'
import type { FastifyInstance } from 'fastify'
import { limitPerAddress } from '../../platform/http/rate-limits.ts'
import type { Product } from '../../product.ts'
import { closeCallAlert, listCallAlerts } from './calls/call-alerts.ts'
import { endCall, readOwnCall, startCall } from './calls/operator-calls.ts'
import type { Operator } from './context.ts'
import { retryOutcome, decideItem } from './decisions/decide-item.ts'
import * as actions from './decisions/item-actions.ts'
import { countItems, listItems, openItem, readItemFile } from './decisions/item-view.ts'
import { findQueue } from './desk.ts'
import { lookUpPerson } from './people.ts'
import { readLines, writeLine } from './log.ts'
import { disableOperator, listOperators } from './operators/operators.ts'
import { beginEnrolment, beginSignIn, finishEnrolment, finishSignIn } from './operators/passkeys.ts'
import { endSession, setSessionCookie } from './operators/sessions.ts'
import { guardDesk, serveDesk } from './serve-desk.ts'
import { treasuryView } from './treasury-view.ts'

type DeskServer = ReturnType<typeof guardDesk>

// High, since operators in one office share an address; passkeys cannot be guessed.
const signInsPerMinute = 300

const toOwnView = ({ id, name, roles, signedInAt }: Operator) => ({
  id,
  name,
  roles: [...roles],
  acts: listPermittedActs(roles),
  signed_in_at: signedInAt.toISOString(),
})

/** Registers the desk's endpoints on the admin port. */
export function deskRoutes(api: FastifyInstance, product: Product): void {
  const server = guardDesk(api, { context: product.desk.context, pool: product.pool })
  sessionRoutes(api, server, product)
  operatorRoutes(api, server, product)
  queueRoutes(api, server, product)
  watchRoutes(api, server, product)
  callRoutes(api, server, product)
}

function sessionRoutes(api: FastifyInstance, server: DeskServer, { desk: { context }, pool }: Product): void {
  const limit = limitPerAddress(api, 'desk sign-in', signInsPerMinute)

  serveDesk(api, server, endpoints.beginEnrolment, async ({ body, request }) => {
    await limit(request)
    return beginEnrolment(context, pool, body.token)
  })
  serveDesk(api, server, endpoints.finishEnrolment, async ({ body, request }) => {
    await limit(request)
    await finishEnrolment(context, pool, body)
  })
  serveDesk(api, server, endpoints.beginSignIn, async ({ request }) => {
    await limit(request)
    return beginSignIn(context, pool)
  })
  serveDesk(api, server, endpoints.signIn, async ({ body, request, reply }) => {
    await limit(request)
    const { operator, token } = await finishSignIn(context, pool, body)
    setSessionCookie(context, reply, token)
    return toOwnView(operator)
  })
  serveDesk(api, server, endpoints.readMe, ({ operator }) => Promise.resolve(toOwnView(operator)))
  serveDesk(api, server, endpoints.signOut, async ({ operator, request, reply }) => {
    await endSession(context, pool, { request, reply })
    await writeLine(pool, operator, { act: 'signed_out' }, context.realNow())
  })
}

function operatorRoutes(api: FastifyInstance, server: DeskServer, { desk: { context }, pool }: Product): void {
  serveDesk(api, server, endpoints.listOperators, async () => ({ operators: await listOperators(pool) }))
  serveDesk(api, server, endpoints.disableOperator, ({ params, body, operator }) =>
    disableOperator(context, pool, { id: params.id, reason: body.reason, actor: operator }),
  )
}

function queueRoutes(api: FastifyInstance, server: DeskServer, product: Product): void {
  const { desk, pool } = product
  serveDesk(api, server, endpoints.countQueues, async ({ operator }) => {
    const permittedQueues = deskQueues.filter((name) => isPermitted(operator.roles, name))
    const countedQueues = permittedQueues.map(
      async (name) =>
        [name, await countItems(product, pool, { queue: findQueue(desk, name), reader: operator })] as const,
    )
    return { counts: Object.fromEntries(await Promise.all(countedQueues)) }
  })
  serveDesk(api, server, endpoints.listQueue, ({ params, operator }) =>
    listItems(product, pool, { queue: findQueue(desk, params.queue), reader: operator }),
  )
  serveDesk(api, server, endpoints.openDeskItem, ({ params: { queue, id }, operator }) =>
    openItem(product, pool, { queue: findQueue(desk, queue), reader: operator, id }),
  )
  serveDesk(api, server, endpoints.decideDeskItem, ({ params: { queue, id }, body, operator }) =>
    decideItem(product, pool, { ...body, queue: findQueue(desk, queue), operator, id }),
  )
  serveDesk(api, server, endpoints.carryOutDeskItem, async ({ params: { queue, id }, operator }) => ({
    outcome: 'carried_out' as const,
    verdict: await retryOutcome(product, pool, { queue: findQueue(desk, queue), operator, id }),
  }))
  serveDesk(api, server, endpoints.claimDeskItem, ({ params: { queue, id }, operator }) =>
    actions.claimItem(product, pool, { queue: findQueue(desk, queue), operator, id }),
  )
  serveDesk(api, server, endpoints.handOverDeskItem, ({ params: { queue, id }, body, operator }) =>
    actions.handOverItem(product, pool, { ...body, queue: findQueue(desk, queue), operator, id }),
  )
  serveDesk(api, server, endpoints.escalateDeskItem, ({ params: { queue, id }, body, operator }) =>
    actions.escalateItem(product, pool, { ...body, queue: findQueue(desk, queue), operator, id }),
  )
  serveDesk(api, server, endpoints.noteDeskItem, ({ params: { queue, id }, body, operator }) =>
    actions.addNote(product, pool, { ...body, queue: findQueue(desk, queue), operator, id }),
  )
  serveDesk(api, server, endpoints.askProvider, ({ params: { queue, id }, operator }) =>
    actions.pollProviderOfItem(product, pool, { queue: findQueue(desk, queue), operator, id }),
  )
  serveDesk(api, server, endpoints.readDeskFile, async ({ params: { queue, id, fileId }, operator, reply }) => {
    const { contentType, bytes } = await readItemFile(product, pool, {
      queue: findQueue(desk, queue),
      reader: operator,
      id,
      fileId,
    })
    void reply.headers({ 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff' })
    void reply
      .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
      .type(contentType)
    return bytes
  })
}

function watchRoutes(api: FastifyInstance, server: DeskServer, product: Product): void {
  const { desk, pool, treasury } = product
  const { realNow } = desk.context
  serveDesk(api, server, endpoints.lookUpPerson, async ({ body, operator }) => ({
    person: await lookUpPerson(product, pool, { reader: operator, text: body.who }),
  }))
  serveDesk(api, server, endpoints.readTreasury, async ({ operator }) => {
    await writeLine(pool, operator, { act: 'read_treasury' }, realNow())
    return treasuryView(treasury)
  })
  serveDesk(api, server, endpoints.readLog, async ({ query, operator }) => {
    await writeLine(pool, operator, { act: 'read_log' }, realNow())
    return { lines: await readLines(pool, operator.id, query.before) }
  })
}

function callRoutes(api: FastifyInstance, server: DeskServer, product: Product): void {
  const { pool } = product
  serveDesk(api, server, endpoints.startCall, ({ params: { id }, body: { about }, operator }) =>
    startCall(product, pool, { operator, userId: BigInt(id), about }),
  )
  serveDesk(api, server, endpoints.readOwnCall, ({ operator }) => readOwnCall(product, pool, operator))
  serveDesk(api, server, endpoints.endCall, ({ params: { id }, operator }) => endCall(product, pool, { operator, id }))
  serveDesk(api, server, endpoints.listCallAlerts, async ({ operator }) => ({
    alerts: await listCallAlerts(product, pool, operator),
  }))
  serveDesk(api, server, endpoints.closeCallAlert, ({ params: { id }, body: { reason }, operator }) =>
    closeCallAlert(product, pool, { operator, id, reason }),
  )
}
