import type { DeskFact } from '@tern/contract/desk/queues'
import type { KnownUser } from '../../identity/identity.ts'
import { codeFact, textFact } from '../facts.ts'

export const personFacts = (person: KnownUser | undefined): DeskFact[] =>
  person
    ? [
        textFact('user_number', String(person.id)),
        textFact('username', person.username),
        ...(person.name === null ? [] : [textFact('verified_name', person.name)]),
        codeFact('verification', person.kycStatus),
      ]
    : []

export const nameOf = (person: KnownUser | undefined): string | null => person?.name ?? person?.username ?? null
