import type { DeskFact } from '@tern/contract/desk/queues'
import { codeFact, textFact } from '../../../platform/operations/desk-facts.ts'
import type { KnownUser } from './users.ts'

export const personFacts = (person: KnownUser | undefined): DeskFact[] =>
  person
    ? [
        textFact('user_number', String(person.id)),
        textFact('username', person.username),
        ...(person.name === null ? [] : [textFact('verified_name', person.name)]),
        codeFact('verification', person.kycStatus),
      ]
    : []

/** Returns the name shown to operators: the verified name, else the username. */
export const nameForOperators = (person: KnownUser | undefined): string | null =>
  person?.name ?? person?.username ?? null
