/** Whether a newer version of the site is out; checked when a file of this version could not be loaded. */
import { useEffect, useState } from 'react';
import { askSiteVersion, type SiteVersion } from './site-version';

/** Undefined until the site has answered. */
export function useSiteVersion(asked: boolean): SiteVersion | undefined {
  const [version, setVersion] = useState<SiteVersion>();
  useEffect(() => {
    if (!asked) return;
    let gone = false;
    void askSiteVersion(document).then((answer) => {
      if (!gone) setVersion(answer);
    });
    return () => {
      gone = true;
    };
  }, [asked]);
  return version;
}
