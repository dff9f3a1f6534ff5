import type { EntryKind } from '../lists/entry.ts'
import { type ComparedName, comparedName } from './compared-name.ts'

/** A name of an entry of that kind, as it is compared: legal forms go from names of companies alone. */
export const listedName = (name: string, kind: EntryKind): ComparedName =>
  comparedName(name, kind === 'person' ? 'person' : 'organization')
