// Creates ten people who perform all measured operations, and people whom they have not paid.

import { createClient } from '@tern/contract/protocol/client'
import { issueAccessToken } from '../../packages/server/src/features/identity/sessions/tokens/access-token.ts'
import type { TestPerson } from '@tern/testkit/app'
import { linkAccount } from '@tern/testkit/payments'
import { createCrowd, type Member } from '../http/crowd.ts'
import type { Stack } from '../http/stack.ts'

export interface Actor {
  readonly member: Member
  /** Returns the headers of the actor's calls, with an access token that lasts five minutes. */
  headers(): Promise<Record<string, string>>
  readonly call: TestPerson['call']
  readonly bankAccountId: string
}

export interface OperationSetup {
  readonly stack: Stack
  readonly actors: readonly Actor[]
  /** People not yet paid by any actor. */
  readonly newPayees: readonly Member[]
}

const size = 400
const actorCount = 10

/** Creates the crowd; the actors hold dollars. */
export async function createOperationSetup(stack: Stack): Promise<OperationSetup> {
  const members = await createCrowd(stack.app, stack.models, { size, maxPayees: 1 })
  const dollarPeople = members.filter(({ currency }) => currency === 'USD')
  const actors: Actor[] = []
  for (const member of dollarPeople.slice(0, actorCount)) actors.push(await createActor(stack, member))
  // Excludes the person after the last actor, whom that actor has paid.
  return { stack, actors, newPayees: dollarPeople.slice(actorCount + 1) }
}

async function createActor({ app }: Stack, member: Member): Promise<Actor> {
  const { userId, sessionId } = member
  const { ctx, pool } = app.app.product.identity
  const issueToken = () => issueAccessToken(ctx, pool, { userId, sessionId })
  const { call } = createClient({ baseUrl: `${app.url}/api`, accessToken: issueToken })
  const name = `copy${userId}`
  const person = { id: Number(userId), username: name, email: `${userId}@example.com` }
  return {
    member,
    headers: async () => ({ authorization: `Bearer ${await issueToken()}`, 'content-type': 'application/json' }),
    call,
    bankAccountId: await linkAccount(app, person),
  }
}
