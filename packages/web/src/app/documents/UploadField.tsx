import { documentFileTypes, type IdentityDocument } from '@tern/contract/kyc/documents'
import { type DragEvent, type ReactNode, useId, useRef, useState } from 'react'
import { forms } from '#messages/forms.ts'
import { upload as texts } from '#messages/identity/upload.ts'
import { classNames } from '../../ui/icon/class-names.ts'
import { FieldError } from '../../ui/forms/Field.tsx'
import { Button, IconButton } from '../../ui/forms/Button.tsx'
import { DocumentPicture, FilePicture, MissingPicture } from './DocumentPicture.tsx'
import { megabytes, type Side } from './document-rules.ts'
import { Progress } from './Progress.tsx'
import { usePicture } from './use-picture.ts'
import { useUpload } from './use-upload.ts'

const waitingClass = 'border-dashed border-line-strong bg-sheet'
const dragOverClass = 'border-sea bg-sea-wash [box-shadow:0_0_0_1px_var(--sea)]'
const chosenClass =
  'flex min-h-19 flex-wrap items-center gap-x-4 gap-y-1 rounded-control border bg-sheet py-3 ps-3 pe-2 ' +
  '[&_.field-error]:mt-0.5 [&_.field-error]:font-normal [&_.grow]:basis-40'
/** Below the text on narrow screens. */
const actionsClass = 'flex flex-wrap items-center max-[520px]:ms-19'

interface UploadFieldProps {
  label: string
  userId: number
  documentType: string
  side: Side
  savedDocument: IdentityDocument | undefined
  isRequested: boolean
  onBusy: (isBusy: boolean) => void
}

/** One side of a document: a place to drop or choose its photo, the progress, the stored photo, or a refusal. */
export function UploadField({ label, isRequested, ...options }: UploadFieldProps) {
  const id = useId()
  const { savedDocument } = options
  const upload = useUpload(options)
  const picture = usePicture(options.userId, savedDocument)
  const { state } = upload
  const chooser = useChooser(label, upload.send)
  const isRefused = state.status === 'refused' || state.status === 'broken'
  return (
    <div role="group" aria-labelledby={id}>
      <p className="field-label" id={id}>
        {label} {!isRequested && <span className="faint font-normal">{forms.optional}</span>}
      </p>
      {chooser.inputs}
      {state.status === 'uploading' ? (
        <Row picture={<FilePicture file={state.file} />} isBusy>
          <Progress {...state} onCancel={upload.cancel} />
        </Row>
      ) : savedDocument && !isRefused ? (
        <Row picture={<DocumentPicture picture={picture.picture} />}>
          <div className="grow">
            <p role="status">{texts.received}</p>
            <p className="small muted">{texts.kept(megabytes(savedDocument.size))}</p>
          </div>
          <div className={actionsClass}>
            {picture.canShow && (
              <Button look="ghost" aria-label={texts.showOf(label)} processing={picture.isBusy} onClick={picture.show}>
                {texts.show}
              </Button>
            )}
            <Button look="ghost" aria-label={texts.replaceOf(label)} onClick={chooser.open}>
              {texts.replace}
            </Button>
            <IconButton icon="cross" label={texts.removeOf(label)} onClick={upload.remove} />
          </div>
        </Row>
      ) : isRefused ? (
        <Row picture={<MissingPicture />} isRefused>
          <div className="grow">
            <p className="truncate font-medium">{state.status === 'broken' ? state.file.name : state.name}</p>
            <div role="alert">
              <FieldError>{state.status === 'broken' ? texts.broken(state.percent) : state.reason}</FieldError>
            </div>
          </div>
          <div className={actionsClass}>
            {state.status === 'broken' && (
              <Button look="ghost" onClick={() => upload.send(state.file)}>
                {texts.tryAgain}
              </Button>
            )}
            <Button look="ghost" aria-label={texts.chooseAnotherOf(label)} onClick={chooser.open}>
              {texts.chooseAnother}
            </Button>
          </div>
        </Row>
      ) : (
        <DropZone onFile={upload.send} label={label} chooser={chooser} />
      )}
      {(upload.removalError ?? picture.error) && <FieldError>{upload.removalError ?? picture.error}</FieldError>}
    </div>
  )
}

const acceptedTypes = documentFileTypes.join(',')

/** File choosers of the device: stored files and, on a phone, the camera. */
function useChooser(label: string, onFile: (file: File) => void) {
  const files = useRef<HTMLInputElement>(null)
  const camera = useRef<HTMLInputElement>(null)
  const input = (place: typeof files, name: string, capture: boolean) => (
    <input
      ref={place}
      type="file"
      hidden
      accept={capture ? 'image/*' : acceptedTypes}
      aria-label={`${name}, ${label}`}
      {...(capture ? { capture: 'environment' as const } : {})}
      onChange={({ currentTarget }) => {
        const [file] = currentTarget.files ?? []
        if (file) onFile(file)
        // Lets the same file be chosen again.
        currentTarget.value = ''
      }}
    />
  )
  return {
    inputs: (
      <>
        {input(files, texts.choose, false)}
        {input(camera, texts.takePhoto, true)}
      </>
    ),
    open: () => files.current?.click(),
    openCamera: () => camera.current?.click(),
  }
}

interface DropZoneProps {
  label: string
  onFile: (file: File) => void
  chooser: ReturnType<typeof useChooser>
}

function DropZone({ label, onFile, chooser }: DropZoneProps) {
  const [isDraggedOver, setIsDraggedOver] = useState(false)
  const stop = (event: DragEvent, isOver: boolean) => {
    event.preventDefault()
    setIsDraggedOver(isOver)
  }
  return (
    <div
      className={classNames('rounded-control border p-4', isDraggedOver ? dragOverClass : waitingClass)}
      onDragOver={(event) => stop(event, true)}
      onDragLeave={(event) => stop(event, false)}
      onDrop={(event) => {
        stop(event, false)
        const [file] = event.dataTransfer.files
        if (file) onFile(file)
      }}
    >
      <p>{isDraggedOver ? texts.dropHere : texts.whole}</p>
      <p className="small muted">{texts.accepted}</p>
      <div className="mt-3 flex flex-wrap items-center gap-3">
        <Button
          className="pointer-fine:hidden"
          look="primary"
          aria-label={texts.takePhotoOf(label)}
          onClick={chooser.openCamera}
        >
          {texts.takePhoto}
        </Button>
        <Button icon="plus" aria-label={texts.chooseOf(label)} onClick={chooser.open}>
          {texts.choose}
        </Button>
        <span className="small muted pointer-coarse:hidden">{texts.orDrop}</span>
      </div>
    </div>
  )
}

interface RowProps {
  picture: ReactNode
  isBusy?: boolean
  isRefused?: boolean
  children: ReactNode
}

const Row = ({ picture, isBusy, isRefused, children }: RowProps) => (
  <div className={classNames(chosenClass, isRefused && 'border-beak-ink')} data-uploading={isBusy || undefined}>
    {picture}
    {children}
  </div>
)
