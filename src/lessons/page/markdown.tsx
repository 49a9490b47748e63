/** Components for Markdown in the pages of the lessons: highlighted code, wide tables in frames that scroll. */
import { Children, type ComponentProps, isValidElement, type ReactNode } from 'react';
import { usePage } from './lesson-context';

function Pre({ children }: { children?: ReactNode }) {
  const page = usePage();
  const [only] = Children.toArray(children);
  const code = isValidElement<{ children?: ReactNode; className?: string }>(only) ? only.props : undefined;
  const text = String(code?.children ?? '').trimEnd();
  if (!code?.className?.includes('language-python'))
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    );
  // biome-ignore lint/security/noDangerouslySetInnerHtml: made by Shiki from the lesson's own text
  return <div className="code" dangerouslySetInnerHTML={{ __html: page.highlight(text, []) }} />;
}

const Table = (props: ComponentProps<'table'>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <section className="scroll" tabIndex={0} aria-label="Table">
    <table {...props} />
  </section>
);

export const markdown = { pre: Pre, table: Table };
