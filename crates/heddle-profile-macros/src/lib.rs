//! `#[profiled]`: times a function on the global profiler.
//!
//! Only the attribute is here; what it calls is in `heddle-profile`, which
//! exports it and documents it with examples that run.
//!
//! The one thing to know: an `async fn` is timed from its first poll to its
//! completion, and what runs inside its polls are its children, on whatever
//! thread they happen.

use proc_macro::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Ident, ItemFn, LitStr, Token, parse_macro_input, parse_quote};

/// What stands in the brackets: nothing, or a name.
struct Arguments {
    name: Option<LitStr>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            return Ok(Self { name: None });
        }
        let key: Ident = input.parse()?;
        if key != "name" {
            return Err(syn::Error::new(
                key.span(),
                "`#[profiled]` takes nothing or `name = \"…\"`",
            ));
        }
        input.parse::<Token![=]>()?;
        let name = input.parse()?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        if !input.is_empty() {
            return Err(input.error("`#[profiled]` takes one name and nothing else"));
        }
        Ok(Self { name: Some(name) })
    }
}

/// Times every call of a function on the global profiler.
///
/// The span is called by the function's name, or by `name = "…"`.
#[proc_macro_attribute]
pub fn profiled(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let Arguments { name } = parse_macro_input!(arguments as Arguments);
    let mut function = parse_macro_input!(item as ItemFn);
    if let Some(constness) = &function.sig.constness {
        let error = syn::Error::new(
            constness.span,
            "a `const fn` may run at compile time, where there is no clock; \
             leave `const` or `#[profiled]` out",
        );
        return error.to_compile_error().into();
    }
    let name = name.unwrap_or_else(|| {
        let text = function.sig.ident.to_string();
        // A raw identifier is a name like any other.
        LitStr::new(text.trim_start_matches("r#"), function.sig.ident.span())
    });
    let block = &function.block;
    let site: Expr = parse_quote!({
        static SITE: ::heddle_profile::CallSite = ::heddle_profile::CallSite::new(#name);
        &SITE
    });
    function.block = if function.sig.asyncness.is_some() {
        parse_quote!({ ::heddle_profile::timed(#site, async move #block).await })
    } else {
        parse_quote!({
            let _heddle_span = ::heddle_profile::Scope::enter(#site);
            #block
        })
    };
    quote!(#function).into()
}
