import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '../../ui/forms/Button.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'

interface CodeFormProps {
  className: string
  look?: 'primary' | 'secondary'
  /** Path that continues with the code. */
  page: string
  /** Code that the page shows, or what identifies it to the visitor. */
  code: string
  /** Returns the code in typed text; empty without one. */
  findCode: (text: string) => string
  texts: {
    readonly label: string
    readonly hint: string
    readonly example: string
    readonly button: string
    /** Shown when the text has no code. */
    readonly codeMissing?: string
  }
}

/** Opens a page by the code that a visitor types or pastes. */
export function CodeForm({ className, look = 'secondary', page, code, findCode, texts }: CodeFormProps) {
  const navigate = useNavigate()
  const [typedText, setTypedText] = useState<string>()
  const [error, setError] = useState<string>()
  const open = (event: FormEvent) => {
    event.preventDefault()
    const requestedCode = findCode(typedText ?? code)
    setError(requestedCode === '' ? texts.codeMissing : undefined)
    if (requestedCode !== '') void navigate(`${page}/${encodeURIComponent(requestedCode)}`)
  }
  return (
    <form className={className} noValidate onSubmit={open}>
      <TextField
        label={texts.label}
        hint={texts.hint}
        error={error}
        placeholder={texts.example}
        value={typedText ?? code}
        onChange={({ target }) => setTypedText(target.value)}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
      />
      <Button look={look} type="submit">
        {texts.button}
      </Button>
    </form>
  )
}
