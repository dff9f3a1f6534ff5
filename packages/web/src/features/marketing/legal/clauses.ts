import type { ReactNode } from 'react'

export interface Clause {
  /** Its key among the texts, and its address on the page. */
  readonly id: string
  readonly title: string
  readonly text: ReactNode
  /** The same in plain words. */
  readonly short: string
  /** Where its reader can see that it is so. */
  readonly proof?: { readonly where: string; readonly href: string } | undefined
}

interface ClauseTexts {
  readonly title: string
  readonly text: ReactNode
  readonly short: string
  /** What stands on the link to where it can be seen. */
  readonly where?: string
}

/** An address for each clause that says where it can be seen. */
export type Proofs<Texts> = {
  readonly [Key in keyof Texts as Texts[Key] extends { where: string } ? Key : never]: string
}

/** The clauses of a legal page in the order of their texts, each with the address where it can be seen. */
export const withProofs = <Texts extends Record<string, ClauseTexts>>(texts: Texts, proofs: Proofs<Texts>): Clause[] =>
  Object.entries(texts).map(([id, { title, text, short, where }]) => {
    const href = (proofs as Readonly<Record<string, string>>)[id]
    return { id, title, text, short, proof: where !== undefined && href !== undefined ? { where, href } : undefined }
  })
