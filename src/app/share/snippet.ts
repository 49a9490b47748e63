/**
 * The HTML that embeds the page in another page: a frame, and a script that sets the height that the frame requests.
 * Pure.
 */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** With several frames in one page, each gets its own height. */
export const HEIGHT_SCRIPT = `<script>
  addEventListener('message', ({ data, source }) => {
    if (data?.type !== 'lockstep:height') return;
    for (const frame of document.querySelectorAll('iframe'))
      if (frame.contentWindow === source) frame.style.height = data.height + 'px';
  });
</script>`;

export const embedSnippet = (href: string, title: string): string =>
  `<iframe src="${escaped(href)}" title="${escaped(title)}"
  loading="lazy" style="width: 100%; height: 660px; border: 0"></iframe>
${HEIGHT_SCRIPT}`;
