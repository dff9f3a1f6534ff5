import type { EntryKind } from '../lists/entry.ts'
import { type ComparedName, comparedName } from './compared-name.ts'

/** Returns the compared form of a listed name; legal forms are dropped except from names of people. */
export const listedName = (name: string, kind: EntryKind): ComparedName =>
  comparedName(name, kind === 'person' ? 'person' : 'organization')
