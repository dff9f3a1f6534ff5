import type { ReactNode } from 'react'

export interface Clause {
  /** Key among the texts, and fragment on the page. */
  readonly id: string
  readonly title: string
  readonly text: ReactNode
  readonly short: string
  /** Page where the clause can be seen applied. */
  readonly proof?: { readonly where: string; readonly href: string } | undefined
}

interface ClauseTexts {
  readonly title: string
  readonly text: ReactNode
  readonly short: string
  /** Label of the link to the proof. */
  readonly where?: string
}

/** Address of the proof for each clause that has a link label. */
export type Proofs<Texts> = {
  readonly [Key in keyof Texts as Texts[Key] extends { where: string } ? Key : never]: string
}

/** Clauses of a legal page in text order, with the address of the proof where there is one. */
export const addProofs = <Texts extends Record<string, ClauseTexts>>(texts: Texts, proofs: Proofs<Texts>): Clause[] =>
  Object.entries(texts).map(([id, { title, text, short, where }]) => {
    const href = (proofs as Readonly<Record<string, string>>)[id]
    return { id, title, text, short, proof: where !== undefined && href !== undefined ? { where, href } : undefined }
  })
