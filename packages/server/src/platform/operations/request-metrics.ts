// Metrics of answered requests: durations, and refused logins, step-up confirmations and webhooks.

import { signIn as deskSignIn } from '@tern/contract/desk/operators'
import type { Endpoint } from '@tern/contract/protocol/endpoint'
import { proveByCode, proveByPasskey } from '@tern/contract/security'
import * as signIn from '@tern/contract/sign-in'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Counter } from 'prom-client'
import type { Providers } from '../providers/providers.ts'
import { type Metrics, startAtZero, statusClasses } from '../runtime/metrics.ts'

const loginMethods: Readonly<Record<string, Endpoint>> = {
  password: signIn.login,
  mailed_link: signIn.verifyLoginLink,
  passkey: signIn.logInByPasskey,
  external: signIn.finishExternalSignIn,
  google: signIn.googleLogin,
  second_factor_code: signIn.answerSecondFactor,
  second_factor_passkey: signIn.answerSecondFactorByPasskey,
}
const stepUpMethods: Readonly<Record<string, Endpoint>> = { code: proveByCode, passkey: proveByPasskey }

const webhookRoute = '/api/webhooks/:provider'
const eventStreamRoute = '/api/events'
const webhookReasons = ['signature_invalid', 'malformed_body', 'payload_too_large', 'service_unavailable', 'not_found']

type Note = (request: FastifyRequest, refusalCode: string) => void

/** Notes of refusals by route. */
type Watched = Map<string, Note>

/** Counts the refusals of each method's endpoint, by the codes that its contract declares; any other is `other`. */
function watchMethods(
  watched: Watched,
  counter: Counter<'method' | 'reason'>,
  { prefix, methods }: { readonly prefix: string; readonly methods: Readonly<Record<string, Endpoint>> },
): void {
  for (const [method, { path, refusals = [] }] of Object.entries(methods)) {
    const reasons: ReadonlySet<string> = new Set(refusals)
    startAtZero(
      counter,
      [...reasons, 'other'].map((reason) => ({ method, reason })),
    )
    watched.set(prefix + path, (_request, code) => counter.inc({ method, reason: reasons.has(code) ? code : 'other' }))
  }
}

/** Counts refused events under the names of configured providers only, since callers choose the name in the address. */
function watchWebhooks(watched: Watched, { refusedWebhooks }: Metrics, providers: readonly string[]): void {
  startAtZero(
    refusedWebhooks,
    [...providers, 'unknown'].flatMap((provider) => webhookReasons.map((reason) => ({ provider, reason }))),
  )
  watched.set(webhookRoute, ({ params }, code) => {
    const { provider } = params as { provider: string }
    refusedWebhooks.inc({
      provider: providers.includes(provider) ? provider : 'unknown',
      reason: webhookReasons.includes(code) ? code : 'other',
    })
  })
}

/** Names of the configured providers that post events. */
export const listEventSenders = ({ money, identity }: Pick<Providers, 'money' | 'identity'>): string[] => [
  ...new Set([...money.all, ...identity.all].map(({ name }) => name)),
]

/** Measures the requests of the application: by method, route and status, and refusals by reason. */
export function measureRequests(http: FastifyInstance, metrics: Metrics, providers: readonly string[]): void {
  const watched: Watched = new Map()
  watchMethods(watched, metrics.loginFailures, { prefix: '/api', methods: loginMethods })
  watchMethods(watched, metrics.stepUpFailures, { prefix: '/api', methods: stepUpMethods })
  watchWebhooks(watched, metrics, providers)
  const byClass = statusClasses.map((name) => metrics.requests.labels(name))
  http.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    const { statusCode } = reply
    // An event stream ends when its reader leaves.
    if (route !== eventStreamRoute) {
      metrics.requestSeconds.observe(
        { method: request.method, route, status: String(statusCode) },
        reply.elapsedTime / 1000,
      )
    }
    byClass[Math.floor(statusCode / 100) - 1]?.inc() // not money: a status
    if (request.refusalCode !== undefined) watched.get(route)?.(request, request.refusalCode)
    done()
  })
}

/** Counts refused logins at the desk, under the method `desk_passkey`. */
export function measureDeskRequests(http: FastifyInstance, { loginFailures }: Metrics): void {
  const watched: Watched = new Map()
  watchMethods(watched, loginFailures, { prefix: '/desk/api', methods: { desk_passkey: deskSignIn } })
  http.addHook('onResponse', (request, _reply, done) => {
    if (request.refusalCode !== undefined) watched.get(request.routeOptions.url ?? '')?.(request, request.refusalCode)
    done()
  })
}
