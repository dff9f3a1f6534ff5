import { type ChangeEvent, type FormEvent, Suspense, useId, useRef, useState } from 'react'
import { camera } from '#messages/camera.ts'
import { verifying as texts } from '#messages/site/verify.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'

const Camera = lazyComponent(() => import('../../app/scan/Camera.tsx'), 'Camera')

/** Largest text file that is read as a proof, in bytes; larger ones can only be pictures. */
const largestProof = 100_000

type Found = { readonly proof: string } | { readonly problem: string }

/** Accepts the code of a proof. A receipt also has a shorter code, which is none. */
const acceptCode = (code: string): Found =>
  /\/verify\/?#/i.test(code) ? { proof: code } : { problem: texts.otherCode }

/** Reads a proof from a file: its text, or the QR code in a picture. */
async function readProofFile(file: File): Promise<Found> {
  if (!file.type.startsWith('image/'))
    return file.size <= largestProof ? { proof: await file.text() } : { problem: texts.noCode }
  const { readPicture } = await import('../../app/scan/read-code.ts')
  const code = await readPicture(file)
  return code === undefined ? { problem: texts.noCode } : acceptCode(code)
}

/** Takes a proof as text, from a file or picture, or by camera. */
export function ProofForm({ onProof }: { onProof: (proof: string) => void }) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isScanning, setIsScanning] = useState(false)
  const id = useId()
  const take = (found: Found) => {
    if ('proof' in found) onProof(found.proof)
    setProblem('problem' in found ? found.problem : undefined)
  }
  const endScan = (found: Found) => {
    setIsScanning(false)
    take(found)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') take({ proof: text })
  }
  return (
    <form className="verify-form" onSubmit={submit}>
      <div className="field">
        <label className="field-label" htmlFor={id}>
          {texts.label}
        </label>
        <div className="input-box">
          <textarea
            id={id}
            className="verify-text"
            aria-describedby={`${id}-hint`}
            value={text}
            onChange={({ target }) => setText(target.value)}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </div>
        <p className="small muted" id={`${id}-hint`}>
          {texts.hint}
        </p>
      </div>
      <div className="row flex-wrap">
        <Button type="submit" look="primary">
          {texts.button}
        </Button>
        <Button
          onClick={() => {
            setProblem(undefined)
            setIsScanning(!isScanning)
          }}
        >
          {isScanning ? camera.stop : camera.start}
        </Button>
        <FileButton
          onFile={(file) => {
            setProblem(undefined)
            setIsScanning(false)
            readProofFile(file).then(take, reportError)
          }}
        />
      </div>
      {isScanning && (
        <Suspense>
          <Camera onScan={(code) => endScan(acceptCode(code))} onFailure={(reason) => endScan({ problem: reason })} />
        </Suspense>
      )}
      {problem && <Note tone="error">{problem}</Note>}
    </form>
  )
}

function FileButton({ onFile }: { onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const openFile = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? []
    // Lets the same file be chosen again.
    target.value = ''
    if (file) onFile(file)
  }
  return (
    <>
      <Button className="verify-file" onClick={() => input.current?.click()}>
        {texts.file}
      </Button>
      <input
        ref={input}
        hidden
        type="file"
        accept=".tlog-proof,text/plain,image/*"
        aria-label={texts.file}
        onChange={openFile}
      />
    </>
  )
}
