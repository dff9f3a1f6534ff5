import { useEffect, useState } from 'react'
import { useParams } from 'react-router'
import { trimLinkValue } from '../browser/link-text.ts'

/**
 * Code of a page, such as `/certificate/<code>`, in pasted text: a full link or its end, with or without surrounding
 * punctuation.
 */
export function findLinkedCode(text: string, page: string): string {
  // Half characters, as of a cut emoji, cannot be part of an address.
  const trimmed = trimLinkValue(text.replaceAll(/\p{Cs}/gu, ''))
  const [code = ''] = (trimmed.split(`${page}/`).at(-1) ?? '').split(/[/?#]/)
  return trimLinkValue(code)
}

/** Text behind the page's path; empty before the page is mounted, because one prerendered page serves every code. */
export function useLinkedText(): string {
  const { code = '' } = useParams()
  const [hasMounted, setHasMounted] = useState(false)
  useEffect(() => setHasMounted(true), [])
  return hasMounted ? code : ''
}
