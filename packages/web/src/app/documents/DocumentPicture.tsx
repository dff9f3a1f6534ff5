import { useEffect, useState } from 'react'
import { Icon } from '../../ui/icon/Icon.tsx'

const pictureClass = 'grid flex-none place-items-center w-18 h-12.75 border rounded-[3px] object-cover text-ink-3'

/** Object URL of a file, revoked once it is no longer shown. */
function useObjectUrl(file: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!file) return
    const objectUrl = URL.createObjectURL(file)
    setAddress(objectUrl)
    return () => {
      setAddress(undefined)
      // A picture that is still being decoded needs the URL.
      setTimeout(() => URL.revokeObjectURL(objectUrl), 1000)
    }
  }, [file])
  return address
}

/** Placeholder for a PDF, and for a picture that cannot be shown. */
export const MissingPicture = () => (
  <span className={pictureClass}>
    <Icon name="list" />
  </span>
)

function Picture({ file }: { file: Blob | undefined }) {
  const address = useObjectUrl(file)
  const [isBroken, setIsBroken] = useState(false)
  if (address === undefined || isBroken) return <MissingPicture />
  return <img className={pictureClass} src={address} alt="" onError={() => setIsBroken(true)} />
}

/** Preview of a file that is being uploaded. */
export const FilePicture = ({ file }: { file: File }) =>
  file.type.startsWith('image/') ? <Picture file={file} /> : <MissingPicture />

/** Picture of a document if this page has loaded it; otherwise a placeholder. */
export const DocumentPicture = ({ picture }: { picture: Blob | undefined }) => <Picture file={picture} />
