import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { InteractionResults } from 'oidc-provider'
import { ApiError, type FieldProblem } from '../server/api.ts'
import { readFields } from '../server/fields.ts'
import type { Oidc } from './oidc.ts'
import { inventedPeople, type People, type Person } from '../server/people.ts'
import { html, type Html } from '../pages/html.ts'
import { layout, messagePage } from '../pages/layout.ts'
import { fieldMarkup, monogram, sendStep, readText } from '../pages/visit.ts'

interface ChooserState {
  /** Email address that the product expects; its account is listed first, or the address filled in. */
  readonly hint: string
  readonly input?: { readonly email: string; readonly name: string }
  readonly problems?: readonly FieldProblem[]
}

const accountButton = ({ email, name, note }: Person, isExpected: boolean): Html =>
  html`<li>
    <button type="submit" name="account" value="${email}" ${isExpected ? html`autofocus` : null}>
      ${monogram(name)}<span><b>${name}</b><span>${email}</span>${note ? html`<em>${note}</em>` : null}</span>
    </button>
  </li>`

function chooser({ hint, input, problems = [] }: ChooserState): string {
  const isHint = ({ email }: Person): boolean => email === hint.toLowerCase()
  const first = inventedPeople.filter(isHint)
  const people = [...first, ...inventedPeople.filter((person) => !isHint(person))]
  const isOtherAccount = problems.length > 0 || (hint !== '' && first.length === 0)
  const field = (name: 'email' | 'name', label: string, attributes: Html) => {
    const problem = problems.find((problem) => problem.field === name)?.message
    return fieldMarkup({ id: name, name, label, attributes, problem })
  }
  const email = input?.email ?? (first.length > 0 ? '' : hint)
  const body = html`<main class="page accounts">
    <h1>Choose an account</h1>
    <p class="lead">to continue to Tern</p>
    <p class="note">Tern Sandbox stands in for Google here. These people are invented, and no password is asked for.</p>
    <form method="post">
      <ul>
        ${people.map((person) => accountButton(person, isHint(person)))}
      </ul>
    </form>
    <details ${isOtherAccount ? html`open` : null}>
      <summary>Use another account</summary>
      <form method="post" class="another">
        ${field('email', 'Email', html`type="email" value="${email}" maxlength="254" autocomplete="off" required`)}
        ${field('name', 'Name', html`type="text" value="${input?.name ?? ''}" maxlength="100" autocomplete="off" required`)}
        <button class="primary" type="submit">Continue</button>
      </form>
    </details>
    <form method="post"><button class="secondary" type="submit" name="cancel" value="yes">Cancel</button></form>
  </main>`
  return layout({ title: 'Choose an account · Tern Sandbox', body })
}

/** Reads the chosen or entered account from a form. Throws ApiError with field errors. */
function readPerson(body: Record<string, unknown>): Pick<Person, 'email' | 'name' | 'isConfirmed'> {
  const account = readText(body['account'])
  const email = readText(body['email'])
  const candidate = inventedPeople.find((person) => person.email === (account || email.toLowerCase()))
  if (candidate) return candidate
  const fields = readFields({ email, name: readText(body['name']) })
  const person = {
    email: fields.text('email', {
      max: 254,
      pattern: /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/,
      message: 'Must be a mail address.',
    }),
    name: fields.text('name', { max: 100 }),
    isConfirmed: true,
  }
  fields.check()
  return person
}

/** Registers the account chooser of the sandbox's replacement for Google. */
export async function accountPages(
  app: FastifyInstance,
  { oidc, people, redirectUri }: { oidc: Oidc; people: People; redirectUri: string },
): Promise<void> {
  await app.register(formbody, { bodyLimit: 10_000 })

  const send = (reply: FastifyReply, page: string) => sendStep(reply, redirectUri, page)

  const sendExpired = (reply: FastifyReply): FastifyReply =>
    send(
      reply.code(404),
      messagePage('This sign-in is over', 'It has ended or took too long. Please start again at Tern.'),
    )

  /** Returns the sign-in in progress; undefined if this browser has none with this id. */
  async function findInteraction({ raw, params }: FastifyRequest, reply: FastifyReply) {
    const provider = await oidc()
    const details = await provider.interactionDetails(raw, reply.raw).catch(() => undefined)
    const { uid } = params as { uid: string }
    return details?.uid === uid ? { provider, hint: readText(details.params['login_hint']) } : undefined
  }

  app.get('/accounts/:uid', async (request, reply) => {
    const visit = await findInteraction(request, reply)
    return visit ? send(reply, chooser({ hint: visit.hint })) : sendExpired(reply)
  })

  app.post<{ Body: Record<string, unknown> | undefined }>('/accounts/:uid', async (request, reply) => {
    const visit = await findInteraction(request, reply)
    if (!visit) return sendExpired(reply)
    const { body = {}, raw } = request
    const end = async (result: InteractionResults) =>
      reply.redirect(await visit.provider.interactionResult(raw, reply.raw, result), 303)
    if (body['cancel'] !== undefined) return end({ error: 'access_denied', error_description: 'Canceled' })
    try {
      const accountId = people.save(readPerson(body))
      return await end({ select_account: {}, login: { accountId } })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const input = { email: readText(body['email']), name: readText(body['name']) }
      return send(reply.code(error.status), chooser({ hint: visit.hint, input, problems: error.fields }))
    }
  })
}
