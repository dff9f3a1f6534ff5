import '../../css/auth.css'
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { identity } from '#messages/identity.ts'
import { pathIfPresent, paths } from '../../paths.ts'
import { Brand } from '../../ui/Brand.tsx'
import { PolarMap } from '../../ui/PolarMap.tsx'

interface AuthFrameProps {
  title: string
  lead: string
  onSubmit: () => void
  /** Counts the attempts that failed: after each the first faulty field takes the focus. */
  failures: number
  children: ReactNode
  /** Where to go instead: logging in or signing up. */
  foot: ReactNode
}

/** The dark page around logging in and signing up: the map on one side, one short form on the other. */
export function AuthFrame({ title, lead, onSubmit, failures, children, foot }: AuthFrameProps) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus(), [failures])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <main className="auth dark">
      <form className="auth-form" ref={form} noValidate onSubmit={submit}>
        <Brand href={paths.landing} />
        <h1 className="display-l">{title}</h1>
        <p className="muted">{lead}</p>
        <div className="auth-fields">{children}</div>
        <div className="small mt-6 flex items-center">{foot}</div>
        <p className="auth-legal tiny faint">
          <LegalPage page="terms">{identity.terms}</LegalPage>
          <LegalPage page="privacy">{identity.privacy}</LegalPage>
        </p>
      </form>
      <PolarMap className="auth-map" />
    </main>
  )
}

function LegalPage({ page, children }: { page: string; children: string }) {
  const path = pathIfPresent(page)
  return path ? <a href={path}>{children}</a> : <span>{children}</span>
}
